#!/usr/bin/env python3
"""Tests of the C interface over ctypes, and of the examples in docs/packed-functions.md.

    c_api_test.py LIBRARY C_COMPILER NM [TEST…]
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint64, c_void_p

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY, COMPILER, NM = sys.argv[1:4]

USAGE, UNSUPPORTED = 2, 3
NULL, BOOL, INTEGER, REAL, STRING, TENSOR, FUNCTION, HANDLE, LIST = range(9)


class Content(ctypes.Union):
    _fields_ = [("integer", c_int64), ("real", ctypes.c_double), ("object", c_void_p)]


class Value(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("reserved", c_int32), ("content", Content)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    pass


Deleter = ctypes.CFUNCTYPE(None, POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", Deleter)]

Callback = ctypes.CFUNCTYPE(c_void_p, c_void_p, POINTER(Value), c_size_t, POINTER(Value))
ContextDeleter = ctypes.CFUNCTYPE(None, c_void_p)


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("engines", POINTER(c_char_p)),
        ("engine_count", c_size_t),
        ("functions", c_void_p),
        ("stop", c_void_p),
        ("seed", c_uint64),
        ("memory_limit", c_int64),
        ("threads", c_int32),
    ]


lib = ctypes.CDLL(LIBRARY)
Text = (c_char_p, c_size_t)
Result = POINTER(c_void_p)
# Each function's result (None: an error) and parameters.
SIGNATURES = {
    "abi_version": (c_int32,),
    "version": (c_char_p,),
    "error_code": (c_int32, c_void_p),
    "error_message": (c_char_p, c_void_p),
    "error_hint": (c_char_p, c_void_p),
    "error_free": ("void", c_void_p),
    "error_new": (c_void_p, c_int32, *Text),
    "object_kind": (c_int32, c_void_p),
    "retain": (c_void_p, c_void_p),
    "release": ("void", c_void_p),
    "value_release": ("void", POINTER(Value)),
    "string_new": (None, *Text, Result),
    "string_data": (None, c_void_p, POINTER(c_void_p), POINTER(c_size_t)),
    "list_new": (None, POINTER(Value), c_size_t, Result),
    "list_size": (None, c_void_p, POINTER(c_size_t)),
    "list_element": (None, c_void_p, c_size_t, POINTER(Value)),
    "handle_new": (None, *Text, c_void_p, c_void_p, Result),
    "handle_pointer": (None, c_void_p, *Text, POINTER(c_void_p)),
    "tensor_from_dlpack": (None, POINTER(DLManagedTensor), Result),
    "tensor_to_dlpack": (None, c_void_p, POINTER(POINTER(DLManagedTensor))),
    "tensor_view": (None, c_void_p, POINTER(POINTER(DLManagedTensor))),
    "tensor_new": (None, c_uint8, c_uint8, POINTER(c_int64), c_size_t, Result),
    "function_new": (None, *Text, Callback, c_void_p, ContextDeleter, Result),
    "call": (None, c_void_p, POINTER(Value), c_size_t, POINTER(Value)),
    "table_new": (None, c_void_p, Result),
    "register": (None, c_void_p, *Text, c_void_p, c_int32),
    "find": (None, c_void_p, *Text, Result),
    "remove": (None, c_void_p, *Text),
    "names": (None, c_void_p, Result),
    "compile": (None, *Text, POINTER(Options), Result),
    "stop_new": (None, Result),
    "stop_request": (None, c_void_p),
}
for function_name, (result_type, *parameter_types) in SIGNATURES.items():
    entry = getattr(lib, "mercator_" + function_name)
    entry.restype = {None: c_void_p, "void": None}.get(result_type, result_type)
    entry.argtypes = parameter_types


class Error(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def do(name, *arguments):
    """Calls a function that returns an error, which is raised."""
    error = getattr(lib, "mercator_" + name)(*arguments)
    if error:
        raised = Error(lib.mercator_error_code(error), lib.mercator_error_message(error).decode())
        lib.mercator_error_free(error)
        raise raised


def make(name, *arguments):
    """The object that a function makes."""
    result = c_void_p()
    do(name, *arguments, byref(result))
    return result.value


def text(string):
    encoded = string.encode()
    return encoded, len(encoded)


def value_of(thing):
    """A value of C for None, a bool, int, float, or an object."""
    if thing is None:
        return Value(NULL)
    if isinstance(thing, bool):
        return Value(BOOL, 0, Content(integer=int(thing)))
    if isinstance(thing, float):
        return Value(REAL, 0, Content(real=thing))
    if isinstance(thing, c_void_p):
        return Value(lib.mercator_object_kind(thing), 0, Content(object=thing.value))
    return Value(INTEGER, 0, Content(integer=thing))


def python_of(value):
    """What value_of takes, for a value of C. Objects stay with whoever has them."""
    if value.kind == NULL:
        return None
    if value.kind == BOOL:
        return bool(value.content.integer)
    if value.kind == INTEGER:
        return value.content.integer
    if value.kind == REAL:
        return value.content.real
    return c_void_p(value.content.object)


def call(function, *arguments):
    values = (Value * len(arguments))(*map(value_of, arguments))
    result = Value()
    do("call", function, values, len(arguments), byref(result))
    return python_of(result)


def string_of(string):
    data, size = c_void_p(), c_size_t()
    do("string_data", string, byref(data), byref(size))
    return ctypes.string_at(data.value, size.value).decode()


def callback(function):
    """What C calls, for a function of Python. An exception becomes an error."""

    def called(_context, arguments, count, result):
        try:
            result[0] = value_of(function(*(python_of(arguments[i]) for i in range(count))))
        except Exception as error:  # None may leave.
            return lib.mercator_error_new(getattr(error, "code", USAGE), *text(str(error)))
        return None

    return Callback(called)


def new_function(name, function, kept):
    """A function of Mercator; what C calls is put into the list `kept`, to live as long."""
    kept.append(callback(function))
    return make("function_new", *text(name), kept[-1], None, ContextDeleter())


def tensor_of(numbers):
    """A tensor of f32 in memory of Python's, and what must live as long."""
    memory = (ctypes.c_float * len(numbers))(*numbers)
    shape = (c_int64 * 1)(len(numbers))
    managed = DLManagedTensor()
    managed.tensor = DLTensor(ctypes.addressof(memory), 1, 0, 1, 2, 32, 1, shape, None, 0)
    return c_void_p(make("tensor_from_dlpack", byref(managed))), (memory, shape, managed)


def view_of(tensor):
    view = POINTER(DLManagedTensor)()
    do("tensor_view", tensor, byref(view))
    return view.contents.tensor


def numbers_of(tensor):
    view = view_of(tensor)
    return list((ctypes.c_float * view.shape[0]).from_address(view.data))


SUM = """HloModule sum
ENTRY e {
  a = f32[3] parameter(0)
  b = f32[3] parameter(1)
  ROOT c = f32[3] add(a, b)
}
"""


class Library(unittest.TestCase):
    def test_only_the_interface_is_visible(self):
        listing = subprocess.run(
            [NM, "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True
        ).stdout
        symbols = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
        self.assertEqual(symbols, {"mercator_" + name for name in SIGNATURES})

    def test_the_header_declares_what_is_visible(self):
        header = (ROOT / "mercator" / "c_api.h").read_text(encoding="utf-8")
        declared = re.findall(r"MERCATOR_API [\w\s*]*?\b(mercator_\w+)\(", header)
        self.assertEqual(sorted(declared), sorted("mercator_" + name for name in SIGNATURES))

    def test_versions(self):
        self.assertEqual(lib.mercator_abi_version(), 1)
        self.assertRegex(lib.mercator_version(), rb"^\d+\.\d+\.\d+$")


class Functions(unittest.TestCase):
    def setUp(self):
        self.kept = []

    def function(self, name, function):
        result = new_function(name, function, self.kept)
        self.addCleanup(lib.mercator_release, result)
        return c_void_p(result)

    def test_a_function_of_python_by_its_name(self):
        lowered = self.function("multiply", lambda a, b: a * b)
        do("register", None, *text("python.multiply"), lowered, 0)
        self.addCleanup(do, "remove", None, *text("python.multiply"))
        found = make("find", None, *text("python.multiply"))
        self.assertEqual(call(found, 6, 7), 42)
        self.assertEqual(call(found, 0.5, 3), 1.5)
        lib.mercator_release(found)

    def test_exceptions_are_errors(self):
        def fails(_):
            raise Error(UNSUPPORTED, "not with Ω")

        function = self.function("fails", fails)
        with self.assertRaisesRegex(Error, "^not with Ω$") as caught:
            call(function, None)
        self.assertEqual(caught.exception.code, UNSUPPORTED)
        with self.assertRaisesRegex(Error, "missing 1 required positional argument"):
            call(function)

    def test_functions_call_functions(self):
        apply = self.function("apply", lambda function, x: call(function, call(function, x)))
        triple = self.function("triple", lambda x: 3 * x)
        self.assertEqual(call(apply, triple, 5), 45)

    def test_the_context_is_given_back(self):
        given_back = []
        deleter = ContextDeleter(given_back.append)
        called = callback(lambda: True)
        function = make("function_new", *text("f"), called, 77, deleter)
        self.assertIs(call(function), True)
        self.assertEqual(given_back, [])
        lib.mercator_release(function)
        self.assertEqual(given_back, [77])

    def test_strings_and_lists(self):
        def reverse(string):
            return c_void_p(make("string_new", *text(string_of(string)[::-1])))

        given = c_void_p(make("string_new", *text("aλ\0b")))
        returned = call(self.function("reverse", reverse), given)
        self.assertEqual(string_of(returned), "b\0λa")
        values = (Value * 2)(value_of(given), value_of(returned))
        lib.mercator_release(given)
        lib.mercator_release(returned)
        # The list has references of its own: these were the others.
        with self.assertRaisesRegex(Error, "there is no kind 9 of values"):
            make("list_new", (Value * 1)(Value(9)), 1)
        self.assertEqual(values[0].kind, STRING)

    def test_threads_call_at_once(self):
        function = self.function("add", lambda a, b: a + b)
        sums = []

        def work(start):
            sums.append(sum(call(function, start, i) for i in range(50)))

        threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(sums), [1225 + 50 * start for start in range(4)])


class Tensors(unittest.TestCase):
    def test_memory_is_shared_and_given_back(self):
        memory = (ctypes.c_float * 4)(1, 2, 3, 4)
        shape = (c_int64 * 2)(2, 2)
        given_back = []
        deleter = Deleter(lambda tensor: given_back.append(tensor.contents.context))
        managed = DLManagedTensor()
        managed.tensor = DLTensor(ctypes.addressof(memory), 1, 0, 2, 2, 32, 1, shape, None, 0)
        managed.context = 5
        managed.deleter = deleter
        tensor = make("tensor_from_dlpack", byref(managed))
        view = view_of(tensor)
        self.assertEqual(view.data, ctypes.addressof(memory))
        self.assertEqual((view.strides[0], view.strides[1]), (2, 1))
        exported = POINTER(DLManagedTensor)()
        do("tensor_to_dlpack", tensor, byref(exported))
        lib.mercator_release(tensor)
        self.assertEqual(exported.contents.tensor.data, ctypes.addressof(memory))
        self.assertEqual(given_back, [])
        exported.contents.deleter(exported)
        self.assertEqual(given_back, [5])

    def test_a_bool_is_zero_or_one(self):
        tensor = c_void_p(make("tensor_new", 6, 8, (c_int64 * 2)(2), 1))
        self.addCleanup(lib.mercator_release, tensor)
        bools = (c_uint8 * 2).from_address(view_of(tensor).data)
        bools[1] = 2
        kept = []
        take = c_void_p(new_function("take", lambda given: None, kept))
        give = c_void_p(new_function("give", lambda: c_void_p(lib.mercator_retain(tensor)), kept))
        for function in (take, give):
            self.addCleanup(lib.mercator_release, function)
        wrong = "the tensor holds a bool that is neither 0 nor 1$"
        with self.assertRaisesRegex(Error, r"^`arguments\[0\]`: " + wrong):
            call(take, tensor)
        with self.assertRaisesRegex(Error, "^the result of 'give': " + wrong):
            call(give)
        bools[1] = 1
        self.assertIsNone(call(take, tensor))
        given = call(give)
        self.assertEqual(view_of(given).data, view_of(tensor).data)
        lib.mercator_release(given)


class Programs(unittest.TestCase):
    def compile(self, program, **options):
        fields = Options(ctypes.sizeof(Options), **options)
        result = make("compile", *text(program), byref(fields))
        self.addCleanup(lib.mercator_release, result)
        return result

    def test_a_program_is_a_function(self):
        program = self.compile(SUM)
        (a, _kept_a), (b, _kept_b) = tensor_of([1, 2, 3]), tensor_of([10, 20, 30])
        total = call(program, a, b)
        self.assertEqual(numbers_of(total), [11, 22, 33])
        with self.assertRaisesRegex(Error, "argument 1 of 'sum' is the integer 2") as caught:
            call(program, a, 2)
        self.assertEqual(caught.exception.code, USAGE)
        for tensor in (a, b, total):
            lib.mercator_release(tensor)

    def test_a_program_calls_python(self):
        def halve(tensor):
            result = c_void_p(make("tensor_new", 2, 32, view_of(tensor).shape, 1))
            target = (ctypes.c_float * 3).from_address(view_of(result).data)
            target[:] = [x / 2 for x in numbers_of(tensor)]
            return result

        kept = []
        function = new_function("halve", halve, kept)
        table = make("table_new", None)
        do("register", table, *text("halve"), function, 0)
        custom_call = "h = f32[3] custom-call(c), custom_call_target=\"halve\""
        program = self.compile(
            SUM.replace("ROOT ", "").replace("\n}", f"\n  ROOT {custom_call}\n}}"), functions=table
        )
        lib.mercator_release(function)
        lib.mercator_release(table)
        a, _kept = tensor_of([1, 2, 3])
        mean = call(program, a, a)
        self.assertEqual(numbers_of(mean), [1, 2, 3])
        lib.mercator_release(a)
        lib.mercator_release(mean)

    def test_a_wrong_program(self):
        with self.assertRaisesRegex(Error, "^line 5, column 8: .*the result has the shape f32.3., not f32.4."):
            self.compile(SUM.replace("ROOT c = f32[3]", "ROOT c = f32[4]"))


class Documentation(unittest.TestCase):
    """The blocks of one language in the page are one program, which prints the block of text below."""

    def blocks(self, language):
        page = (ROOT / "docs" / "packed-functions.md").read_text(encoding="utf-8")
        pattern = rf"^```{language}\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?"
        found = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
        self.assertTrue(found)
        return "".join(code for code, _ in found), "".join(output for _, output in found)

    def test_c(self):
        program, output = self.blocks("c")
        with tempfile.TemporaryDirectory() as folder:
            source, executable = pathlib.Path(folder, "example.c"), pathlib.Path(folder, "example")
            source.write_text(program, encoding="utf-8")
            flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT]
            subprocess.run([COMPILER, *flags, source, "-o", executable, LIBRARY], check=True)
            place = {"LD_LIBRARY_PATH": str(pathlib.Path(LIBRARY).parent)}
            run = subprocess.run([executable], capture_output=True, text=True, check=True, env=os.environ | place)
        self.assertEqual(run.stdout, output)

    def test_python(self):
        program, output = self.blocks("python")
        place = {"LD_LIBRARY_PATH": str(pathlib.Path(LIBRARY).parent)}
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=os.environ | place
        )
        self.assertEqual((run.stdout, run.stderr), (output, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
