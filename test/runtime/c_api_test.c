/* The C interface, used from C. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "mercator/c_api.h"
#include "mercator/dlpack_abi.h"

/* ---- checking ---- */

static int failures = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

/* Checks that a call was done. */
#define DONE(call) check_error((call), MERCATOR_OK, "", __LINE__)
/* Checks that it failed, with this code and message. */
#define FAILS(call, code, message) check_error((call), (code), (message), __LINE__)

static void check_error(MercatorError* error, int32_t code, const char* message, int line) {
  if (mercator_error_code(error) != code || strcmp(mercator_error_message(error), message) != 0) {
    fprintf(stderr, "%s:%d: error %d, \"%s\", where error %d, \"%s\" is expected\n", __FILE__, line,
            (int)mercator_error_code(error), mercator_error_message(error), (int)code, message);
    ++failures;
  }
  mercator_error_free(error);
}

/* ---- values ---- */

static MercatorValue integer(int64_t value) {
  MercatorValue result = {MERCATOR_INTEGER, 0, {0}};
  result.as.integer = value;
  return result;
}

static MercatorValue object_value(MercatorObject* object) {
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  result.kind = mercator_object_kind(object);
  result.as.object = object;
  return result;
}

static MercatorObject* string(const char* text) {
  MercatorObject* result = NULL;
  DONE(mercator_string_new(text, strlen(text), &result));
  return result;
}

static const char* text_of(const MercatorObject* object) {
  const char* data = "";
  DONE(mercator_string_data(object, &data, NULL));
  return data;
}

/* ---- functions in C ---- */

/* The sum of its arguments and of the context, an int64_t. */
static MercatorError* add(void* context, const MercatorValue* arguments, size_t count,
                          MercatorValue* result) {
  int64_t sum = *(const int64_t*)context;
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i].kind != MERCATOR_INTEGER) {
      static const char kMessage[] = "add takes integers";
      return mercator_error_new(MERCATOR_USAGE, kMessage, sizeof(kMessage) - 1);
    }
    sum += arguments[i].as.integer;
  }
  *result = integer(sum);
  return NULL;
}

static void set_to_minus_one(void* context) { *(int64_t*)context = -1; }

static MercatorObject* new_function(const char* name, MercatorCallback callback, void* context) {
  MercatorObject* function = NULL;
  DONE(mercator_function_new(name, strlen(name), callback, context, NULL, &function));
  return function;
}

static void test_versions(void) {
  CHECK(mercator_abi_version() == MERCATOR_ABI_VERSION);
  CHECK(strchr(mercator_version(), '.') != NULL);
}

static void test_calls(void) {
  int64_t offset = 100;
  MercatorObject* function = NULL;
  DONE(mercator_function_new("add", 3, add, &offset, set_to_minus_one, &function));
  CHECK(mercator_object_kind(function) == MERCATOR_FUNCTION);

  const MercatorValue arguments[] = {integer(1), integer(20)};
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(function, arguments, 2, &result));
  CHECK(result.kind == MERCATOR_INTEGER && result.as.integer == 121);
  DONE(mercator_call(function, NULL, 0, NULL));

  /* What a callback returns as an error comes out of the call, and leaves the result alone. */
  MercatorObject* text = string("text");
  const MercatorValue wrong = object_value(text);
  FAILS(mercator_call(function, &wrong, 1, &result), MERCATOR_USAGE, "add takes integers");
  CHECK(result.as.integer == 121);
  mercator_release(text);

  mercator_retain(function);
  mercator_release(function);
  CHECK(offset == 100);
  mercator_release(function);
  CHECK(offset == -1);
}

/* Calls its first argument with the others. */
static MercatorError* apply(void* context, const MercatorValue* arguments, size_t count,
                            MercatorValue* result) {
  (void)context;
  return mercator_call(arguments[0].as.object, arguments + 1, count - 1, result);
}

/* Returns a function that was lent to it. */
static MercatorError* first(void* context, const MercatorValue* arguments, size_t count,
                            MercatorValue* result) {
  (void)context;
  (void)count;
  mercator_retain(arguments[0].as.object);
  *result = arguments[0];
  return NULL;
}

static void test_functions_are_values(void) {
  int64_t offset = 1;
  MercatorObject* add_function = new_function("add", add, &offset);
  MercatorObject* apply_function = new_function("apply", apply, NULL);
  MercatorObject* first_function = new_function("first", first, NULL);

  const MercatorValue arguments[] = {object_value(add_function), integer(2), integer(3)};
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(apply_function, arguments, 3, &result));
  CHECK(result.as.integer == 6);

  DONE(mercator_call(first_function, arguments, 1, &result));
  CHECK(result.kind == MERCATOR_FUNCTION);
  mercator_release(add_function);
  MercatorValue sum = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(result.as.object, arguments + 1, 2, &sum));
  CHECK(sum.as.integer == 6);
  mercator_value_release(&result);
  CHECK(result.kind == MERCATOR_NULL);

  mercator_release(first_function);
  mercator_release(apply_function);
}

/* Calls `apply` with itself, without end. */
static void test_endless_recursion(void) {
  MercatorObject* apply_function = new_function("apply", apply, NULL);
  enum { kCount = 200 };
  MercatorValue arguments[kCount];
  for (int i = 0; i < kCount; ++i) arguments[i] = object_value(apply_function);
  FAILS(mercator_call(apply_function, arguments, kCount, NULL), MERCATOR_UNSUPPORTED,
        "calls lie too deep inside each other");
  mercator_release(apply_function);
}

/* ---- tables ---- */

static void test_tables(void) {
  int64_t offset = 5;
  MercatorObject* function = new_function("add", add, &offset);
  MercatorObject* other = new_function("first", first, NULL);
  MercatorObject* low = NULL;
  MercatorObject* high = NULL;
  DONE(mercator_table_new(NULL, &low));
  DONE(mercator_table_new(low, &high));

  DONE(mercator_register(low, "f", 1, function, 0));
  FAILS(mercator_register(low, "f", 1, other, 0), MERCATOR_USAGE,
        "there is a function 'f' already");
  DONE(mercator_register(high, "g", 1, other, 0));
  DONE(mercator_register(high, "g", 1, function, 1));
  mercator_release(function);
  mercator_release(other);

  MercatorObject* found = NULL;
  DONE(mercator_find(high, "f", 1, &found));
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(found, NULL, 0, &result));
  CHECK(result.as.integer == 5);
  mercator_release(found);
  FAILS(mercator_find(low, "g", 1, &found), MERCATOR_USAGE, "there is no function 'g'");
  FAILS(mercator_find(NULL, "f", 1, &found), MERCATOR_USAGE, "there is no function 'f'");

  MercatorObject* names = NULL;
  DONE(mercator_names(high, &names));
  size_t size = 0;
  DONE(mercator_list_size(names, &size));
  CHECK(size == 1);
  DONE(mercator_list_element(names, 0, &result));
  CHECK(strcmp(text_of(result.as.object), "g") == 0);
  mercator_value_release(&result);
  mercator_release(names);

  DONE(mercator_remove(high, "g", 1));
  FAILS(mercator_remove(high, "f", 1), MERCATOR_USAGE, "there is no function 'f'");
  mercator_release(low);
  mercator_release(high);
}

static void test_table_of_the_process(void) {
  int64_t offset = 7;
  MercatorObject* function = NULL;
  DONE(mercator_function_new("seven", 5, add, &offset, set_to_minus_one, &function));
  DONE(mercator_register(NULL, "test.seven", 10, function, 0));
  mercator_release(function);
  CHECK(offset == 7);

  MercatorObject* found = NULL;
  MercatorError* error = mercator_find(NULL, "test.sevn", 9, &found);
  CHECK(strcmp(mercator_error_hint(error), "did you mean 'test.seven'?") == 0);
  mercator_error_free(error);

  DONE(mercator_remove(NULL, "test.seven", 10));
  CHECK(offset == -1);
}

/* ---- strings, lists, handles ---- */

static void test_strings(void) {
  MercatorObject* object = NULL;
  DONE(mercator_string_new("a\0b", 3, &object));
  const char* data = NULL;
  size_t size = 0;
  DONE(mercator_string_data(object, &data, &size));
  CHECK(size == 3 && memcmp(data, "a\0b", 4) == 0);
  mercator_release(object);
  DONE(mercator_string_new(NULL, 0, &object));
  CHECK(strcmp(text_of(object), "") == 0);
  mercator_release(object);
}

static void test_lists(void) {
  MercatorObject* text = string("text");
  const MercatorValue elements[] = {integer(3), object_value(text)};
  MercatorObject* list = NULL;
  DONE(mercator_list_new(elements, 2, &list));
  mercator_release(text);
  MercatorValue element = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_list_element(list, 1, &element));
  CHECK(strcmp(text_of(element.as.object), "text") == 0);
  mercator_value_release(&element);
  FAILS(mercator_list_element(list, 2, &element), MERCATOR_USAGE,
        "there is no element 2 in a list of 2");
  mercator_release(list);

  /* Lists in lists in lists. */
  DONE(mercator_list_new(NULL, 0, &list));
  for (int depth = 1; depth < 100; ++depth) {
    const MercatorValue inner = object_value(list);
    MercatorObject* outer = NULL;
    DONE(mercator_list_new(&inner, 1, &outer));
    mercator_release(list);
    list = outer;
  }
  const MercatorValue inner = object_value(list);
  MercatorObject* outer = NULL;
  FAILS(mercator_list_new(&inner, 1, &outer), MERCATOR_UNSUPPORTED,
        "more than 100 lists inside each other");
  CHECK(outer == NULL);
  mercator_release(list);
}

static void test_handles(void) {
  int64_t thing = 3;
  MercatorObject* handle = NULL;
  DONE(mercator_handle_new("test.Thing", 10, &thing, set_to_minus_one, &handle));
  void* pointer = NULL;
  DONE(mercator_handle_pointer(handle, "test.Thing", 10, &pointer));
  CHECK(pointer == &thing);
  FAILS(mercator_handle_pointer(handle, "test.Other", 10, &pointer), MERCATOR_USAGE,
        "`handle` is a handle of type 'test.Thing', where a handle of type 'test.Other' of C is "
        "wanted");
  /* A handle of a class of C++ is none of C, whatever its name. */
  MercatorObject* table = NULL;
  DONE(mercator_table_new(NULL, &table));
  FAILS(mercator_handle_pointer(table, "mercator.FunctionTable", 22, &pointer), MERCATOR_USAGE,
        "`handle` is a handle of type 'mercator.FunctionTable', where a handle of type "
        "'mercator.FunctionTable' of C is wanted");
  mercator_release(table);
  /* The reverse. */
  MercatorObject* forged = NULL;
  DONE(mercator_handle_new("mercator.FunctionTable", 22, &thing, NULL, &forged));
  MercatorObject* names = NULL;
  FAILS(mercator_names(forged, &names), MERCATOR_USAGE,
        "`table` is a handle of type 'mercator.FunctionTable', where a table of functions is "
        "wanted");
  mercator_release(forged);
  mercator_release(handle);
  CHECK(thing == -1);
}

/* ---- what makes no sense ---- */

static MercatorError* unknown_kind(void* context, const MercatorValue* arguments, size_t count,
                                   MercatorValue* result) {
  (void)context;
  (void)arguments;
  (void)count;
  result->kind = 99;
  return NULL;
}

/* A handle that counts in `thing` when it is gone. */
static void count_gone(void* thing) { ++*(int*)thing; }

static MercatorValue new_handle(int* gone) {
  MercatorObject* handle = NULL;
  DONE(mercator_handle_new("test.Thing", 10, gone, count_gone, &handle));
  return object_value(handle);
}

static MercatorError* set_and_fail(void* gone, const MercatorValue* arguments, size_t count,
                                   MercatorValue* result) {
  (void)arguments;
  (void)count;
  *result = new_handle(gone);
  return mercator_error_new(MERCATOR_IO, "no", 2);
}

static MercatorError* set_of_another_kind(void* gone, const MercatorValue* arguments, size_t count,
                                          MercatorValue* result) {
  (void)arguments;
  (void)count;
  *result = new_handle(gone);
  result->kind = MERCATOR_TENSOR;
  return NULL;
}

static MercatorError* set(void* gone, const MercatorValue* arguments, size_t count,
                          MercatorValue* result) {
  (void)arguments;
  (void)count;
  *result = new_handle(gone);
  return NULL;
}

static void test_results_of_callbacks_are_released(void) {
  int gone = 0;
  MercatorObject* function = new_function("f", set, &gone);
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(function, NULL, 0, &result));
  CHECK(gone == 0);
  mercator_value_release(&result);
  CHECK(gone == 1);
  DONE(mercator_call(function, NULL, 0, NULL));
  CHECK(gone == 2);
  mercator_release(function);

  function = new_function("f", set_and_fail, &gone);
  FAILS(mercator_call(function, NULL, 0, &result), MERCATOR_IO, "no");
  CHECK(gone == 3);
  mercator_release(function);

  function = new_function("f", set_of_another_kind, &gone);
  FAILS(mercator_call(function, NULL, 0, &result), MERCATOR_USAGE,
        "the result of 'f': a value of kind 5 has an object of kind 7");
  CHECK(gone == 4);
  mercator_release(function);
}

static void test_senseless_arguments(void) {
  MercatorObject* object = NULL;
  MercatorObject* text = string("text");
  FAILS(mercator_call(NULL, NULL, 0, NULL), MERCATOR_USAGE, "`function` is NULL");
  FAILS(mercator_call(text, NULL, 0, NULL), MERCATOR_USAGE,
        "`function` is a string, where a function is wanted");
  FAILS(mercator_string_new(NULL, 1, &object), MERCATOR_USAGE, "`data` is NULL");
  FAILS(mercator_string_new("", 0, NULL), MERCATOR_USAGE, "`result` is NULL");
  FAILS(mercator_function_new("f", 1, NULL, NULL, NULL, &object), MERCATOR_USAGE,
        "`callback` is NULL");
  FAILS(mercator_register(NULL, NULL, 4, text, 0), MERCATOR_USAGE, "`name` is NULL");
  FAILS(mercator_register(NULL, "name", 4, text, 0), MERCATOR_USAGE,
        "`function` is a string, where a function is wanted");
  FAILS(mercator_register(text, "name", 4, text, 0), MERCATOR_USAGE,
        "`table` is a string, where a table of functions is wanted");
  FAILS(mercator_handle_new("", 0, NULL, NULL, &object), MERCATOR_USAGE,
        "the type of a handle has a name");
  FAILS(mercator_tensor_from_dlpack(NULL, &object), MERCATOR_USAGE, "`tensor` is NULL");

  MercatorValue values[] = {integer(1), {99, 0, {0}}};
  FAILS(mercator_list_new(values, 2, &object), MERCATOR_USAGE,
        "`elements[1]`: there is no kind 99 of values");
  values[1].kind = MERCATOR_BOOL;
  values[1].as.integer = 2;
  FAILS(mercator_list_new(values, 2, &object), MERCATOR_USAGE,
        "`elements[1]`: a bool is 0 or 1, not 2");
  values[1].kind = MERCATOR_TENSOR;
  values[1].as.object = NULL;
  FAILS(mercator_list_new(values, 2, &object), MERCATOR_USAGE,
        "`elements[1]`: a value of kind 5 has no object");
  values[1].as.object = text;
  FAILS(mercator_list_new(values, 2, &object), MERCATOR_USAGE,
        "`elements[1]`: a value of kind 5 has an object of kind 4");
  CHECK(object == NULL);

  MercatorObject* function = new_function("f", unknown_kind, NULL);
  FAILS(mercator_call(function, NULL, 0, NULL), MERCATOR_USAGE,
        "the result of 'f': there is no kind 99 of values");
  mercator_release(function);
  mercator_release(text);

  /* An error of no known code. */
  FAILS(mercator_error_new(12345, "odd", 3), MERCATOR_USAGE, "odd");
  FAILS(mercator_error_new(MERCATOR_IO, NULL, 3), MERCATOR_IO, "");
  mercator_error_free(NULL);
  mercator_release(NULL);
  mercator_value_release(NULL);
  CHECK(mercator_retain(NULL) == NULL);
}

/* ---- tensors ---- */

static int deleted = 0;
static void count_deleted(DLManagedTensor* self) {
  (void)self;
  ++deleted;
}

static DLManagedTensor of_floats(float* data, int64_t* shape, int32_t rank) {
  DLManagedTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.dl_tensor.data = data;
  tensor.dl_tensor.device.device_type = kDLCPU;
  tensor.dl_tensor.ndim = rank;
  tensor.dl_tensor.dtype.code = kDLFloat;
  tensor.dl_tensor.dtype.bits = 32;
  tensor.dl_tensor.dtype.lanes = 1;
  tensor.dl_tensor.shape = shape;
  tensor.deleter = count_deleted;
  return tensor;
}

static const DLTensor* view_of(const MercatorObject* tensor) {
  const DLManagedTensor* view = NULL;
  DONE(mercator_tensor_view(tensor, &view));
  return &view->dl_tensor;
}

static void test_tensors(void) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3};
  DLManagedTensor foreign = of_floats(data, shape, 2);
  MercatorObject* tensor = NULL;
  deleted = 0;
  DONE(mercator_tensor_from_dlpack(&foreign, &tensor));
  CHECK(mercator_object_kind(tensor) == MERCATOR_TENSOR);
  const DLTensor* view = view_of(tensor);
  CHECK(view->data == data && view->ndim == 2 && view->shape[1] == 3 && view->strides[0] == 3);

  DLManagedTensor* exported = NULL;
  DONE(mercator_tensor_to_dlpack(tensor, &exported));
  CHECK(exported->dl_tensor.data == data);
  mercator_release(tensor);
  CHECK(deleted == 0);
  exported->deleter(exported);
  CHECK(deleted == 1);

  foreign.dl_tensor.device.device_type = 2;
  FAILS(mercator_tensor_from_dlpack(&foreign, &tensor), MERCATOR_UNSUPPORTED,
        "the DLPack tensor is on a device of type 2, and only those of the CPU (type 1) are "
        "supported");
  CHECK(deleted == 1);

  DONE(mercator_tensor_new(kDLInt, 4, shape, 2, &tensor));
  CHECK(view_of(tensor)->dtype.bits == 4 && *(const char*)view_of(tensor)->data == 0);
  mercator_release(tensor);
  shape[0] = -1;
  FAILS(mercator_tensor_new(kDLInt, 32, shape, 2, &tensor), MERCATOR_USAGE,
        "a size of [-1,3] is negative");
  shape[0] = INT64_MAX;
  FAILS(mercator_tensor_new(kDLInt, 32, shape, 2, &tensor), MERCATOR_EXHAUSTED,
        "[9223372036854775807,3] has too many elements");
  FAILS(mercator_tensor_new(kDLInt, 33, shape, 2, &tensor), MERCATOR_UNSUPPORTED,
        "no element type has code 0 and 33 bits");
}

/* ---- programs ---- */

static MercatorObject* compile(const char* text, const MercatorCompileOptions* options) {
  MercatorObject* program = NULL;
  DONE(mercator_compile(text, strlen(text), options, &program));
  return program;
}

static MercatorObject* new_floats(int64_t count, const float* values) {
  MercatorObject* tensor = NULL;
  DONE(mercator_tensor_new(kDLFloat, 32, &count, 1, &tensor));
  memcpy(view_of(tensor)->data, values, (size_t)count * sizeof(float));
  return tensor;
}

static const char kSwap[] =
    "HloModule swap\n"
    "ENTRY e {\n"
    "  a = f32[2] parameter(0)\n"
    "  b = f32[2] parameter(1)\n"
    "  ROOT t = (f32[2], f32[2]) tuple(b, a)\n"
    "}\n";

static void test_programs(void) {
  MercatorObject* program = compile(kSwap, NULL);
  CHECK(mercator_object_kind(program) == MERCATOR_FUNCTION);
  const float one[2] = {1, 2};
  const float two[2] = {3, 4};
  MercatorObject* a = new_floats(2, one);
  MercatorObject* b = new_floats(2, two);
  MercatorValue arguments[] = {object_value(a), object_value(b)};
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(program, arguments, 2, &result));
  CHECK(result.kind == MERCATOR_LIST);
  MercatorValue element = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_list_element(result.as.object, 0, &element));
  CHECK(memcmp(view_of(element.as.object)->data, two, sizeof(two)) == 0);
  mercator_value_release(&element);
  mercator_value_release(&result);

  FAILS(mercator_call(program, arguments, 1, &result), MERCATOR_USAGE,
        "1 arguments, where 2 are wanted");
  arguments[1] = integer(3);
  FAILS(
      mercator_call(program, arguments, 2, &result), MERCATOR_USAGE,
      "argument 1 of 'swap' is the integer 3, where a tensor, a list of these, or null is wanted");
  mercator_release(program);
  mercator_release(a);
  mercator_release(b);
}

/* The doubled elements of a tensor of floats; the context counts the calls. */
static MercatorError* twice(void* context, const MercatorValue* arguments, size_t count,
                            MercatorValue* result) {
  ++*(int64_t*)context;
  CHECK(count == 2 && strcmp(text_of(arguments[1].as.object), "config") == 0);
  const DLTensor* operand = view_of(arguments[0].as.object);
  MercatorObject* doubled = NULL;
  MercatorError* error =
      mercator_tensor_new(kDLFloat, 32, operand->shape, (size_t)operand->ndim, &doubled);
  if (error != NULL) return error;
  const float* from = operand->data;
  float* to = view_of(doubled)->data;
  for (int64_t i = 0; i < operand->shape[0]; ++i) to[i] = 2 * from[i];
  *result = object_value(doubled);
  return NULL;
}

static const char kCustomCall[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  a = f32[2] parameter(0)\n"
    "  b = f32[2] custom-call(a), custom_call_target=\"twice\", backend_config=\"config\"\n"
    "  ROOT c = f32[2] custom-call(b), custom_call_target=\"twice\", backend_config=\"config\"\n"
    "}\n";

static void test_custom_calls(void) {
  int64_t calls = 0;
  MercatorObject* table = NULL;
  MercatorObject* function = new_function("twice", twice, &calls);
  DONE(mercator_table_new(NULL, &table));
  DONE(mercator_register(table, "twice", 5, function, 0));
  MercatorCompileOptions options = {0};
  options.struct_size = sizeof(options);
  options.functions = table;
  MercatorObject* program = compile(kCustomCall, &options);
  /* The program holds the table, and the table the function. */
  mercator_release(function);
  mercator_release(table);

  const float values[2] = {1.5F, -3};
  MercatorObject* argument = new_floats(2, values);
  const MercatorValue arguments[] = {object_value(argument)};
  MercatorValue result = {MERCATOR_NULL, 0, {0}};
  DONE(mercator_call(program, arguments, 1, &result));
  const float* quadrupled = view_of(result.as.object)->data;
  CHECK(quadrupled[0] == 6 && quadrupled[1] == -12);
  CHECK(calls == 2);
  mercator_value_release(&result);
  mercator_release(program);

  program = compile(kCustomCall, NULL);
  FAILS(mercator_call(program, arguments, 1, &result), MERCATOR_UNSUPPORTED,
        "'b': no function is registered for custom calls of 'twice'");
  mercator_release(program);
  mercator_release(argument);
}

static void test_programs_that_do_not_compile(void) {
  MercatorObject* program = NULL;
  static const char kBroken[] = "HloModule m\nENTRY e {\n  ROOT a = f32[2] parameter(0\n}\n";
  FAILS(mercator_compile(kBroken, sizeof(kBroken) - 1, NULL, &program), MERCATOR_INVALID_INPUT,
        "line 4, column 1: expected ')' after the number of the parameter, found '}'");
  FAILS(mercator_compile(NULL, 0, NULL, &program), MERCATOR_USAGE, "`program` is NULL");
  static const char kNoEngine[] =
      "HloModule m\nENTRY e {\n  a = token[] after-all()\n"
      "  ROOT r = ((f32[2]), token[]) infeed(a)\n}\n";
  FAILS(mercator_compile(kNoEngine, sizeof(kNoEngine) - 1, NULL, &program), MERCATOR_UNSUPPORTED,
        "line 4, column 8: 'r': no engine takes it (interpreter: infeed needs other devices or a "
        "host program, which the interpreter does not have)");

  const char* const names[] = {"interpreter", "no such engine"};
  MercatorCompileOptions options = {0};
  FAILS(mercator_compile(kSwap, sizeof(kSwap) - 1, &options, &program), MERCATOR_USAGE,
        "`options->struct_size` is 0, where 64 is wanted");
  options.struct_size = sizeof(options);
  options.engines = names;
  options.engine_count = 2;
  MercatorError* error = mercator_compile(kSwap, sizeof(kSwap) - 1, &options, &program);
  CHECK(mercator_error_code(error) == MERCATOR_USAGE);
  CHECK(strstr(mercator_error_message(error), "no such engine") != NULL);
  mercator_error_free(error);
  options.engine_count = 1;
  options.functions = string("text");
  FAILS(mercator_compile(kSwap, sizeof(kSwap) - 1, &options, &program), MERCATOR_USAGE,
        "`options->functions` is a string, where a handle of type 'mercator.FunctionTable' is "
        "wanted");
  mercator_release(options.functions);
  CHECK(program == NULL);
}

static const char kEndless[] =
    "HloModule m\n"
    "body { p = s32[] parameter(0)\n  ROOT c = s32[] copy(p) }\n"
    "condition { p = s32[] parameter(0)\n  ROOT t = pred[] constant(true) }\n"
    "ENTRY e {\n"
    "  a = s32[] constant(1)\n"
    "  b = s32[] custom-call(a), custom_call_target=\"tell\"\n"
    "  ROOT w = s32[] while(b), condition=condition, body=body\n"
    "}\n";

typedef struct Running {
  atomic_bool is_under_way;
  MercatorObject* stop;
} Running;

/* Tells that the program is under way; returns its argument. */
static MercatorError* tell(void* running, const MercatorValue* arguments, size_t count,
                           MercatorValue* result) {
  atomic_store(&((Running*)running)->is_under_way, true);
  return first(NULL, arguments, count, result);
}

static int stop_when_under_way(void* context) {
  Running* running = context;
  while (!atomic_load(&running->is_under_way)) thrd_yield();
  DONE(mercator_stop_request(running->stop));
  return 0;
}

static void test_stopping(void) {
  MercatorCompileOptions options = {0};
  options.struct_size = sizeof(options);
  DONE(mercator_stop_new(&options.stop));
  Running running = {false, options.stop};
  MercatorObject* function = new_function("tell", tell, &running);
  DONE(mercator_table_new(NULL, &options.functions));
  DONE(mercator_register(options.functions, "tell", 4, function, 0));
  mercator_release(function);
  MercatorObject* program = compile(kEndless, &options);
  thrd_t thread;
  CHECK(thrd_create(&thread, stop_when_under_way, &running) == thrd_success);
  MercatorError* error = mercator_call(program, NULL, 0, NULL);
  CHECK(atomic_exchange(&running.is_under_way, true)); /* otherwise the thread would not end */
  CHECK(mercator_error_code(error) == MERCATOR_INTERRUPTED);
  mercator_error_free(error);
  thrd_join(thread, NULL);
  mercator_release(program);
  mercator_release(options.functions);
  mercator_release(options.stop);
  FAILS(mercator_stop_request(NULL), MERCATOR_USAGE, "`stop` is NULL");
}

static const char kLarge[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  a = f32[] constant(1)\n"
    "  ROOT b = f32[1000] broadcast(a), dimensions={}\n"
    "}\n";

static void test_memory_limit(void) {
  MercatorCompileOptions options = {0};
  options.struct_size = sizeof(options);
  options.memory_limit = 1000;
  MercatorObject* program = compile(kLarge, &options);
  MercatorError* error = mercator_call(program, NULL, 0, NULL);
  CHECK(mercator_error_code(error) == MERCATOR_EXHAUSTED);
  mercator_error_free(error);
  mercator_release(program);

  /* Each call may take as much, however many results the caller keeps. */
  options.memory_limit = 6000;
  program = compile(kLarge, &options);
  enum { kCount = 20 };
  MercatorValue results[kCount] = {{MERCATOR_NULL, 0, {0}}};
  for (int i = 0; i < kCount; ++i) DONE(mercator_call(program, NULL, 0, &results[i]));
  for (int i = 0; i < kCount; ++i) {
    CHECK(((const float*)view_of(results[i].as.object)->data)[999] == 1);
    mercator_value_release(&results[i]);
  }
  mercator_release(program);
}

int main(void) {
  test_versions();
  test_calls();
  test_functions_are_values();
  test_endless_recursion();
  test_tables();
  test_table_of_the_process();
  test_strings();
  test_lists();
  test_handles();
  test_results_of_callbacks_are_released();
  test_senseless_arguments();
  test_tensors();
  test_programs();
  test_custom_calls();
  test_programs_that_do_not_compile();
  test_stopping();
  test_memory_limit();
  if (failures == 0) puts("all is well");
  return failures == 0 ? 0 : 1;
}
