"""Runs HLO text with XLA's CPU compiler, as it comes with JAX, in a process of its own.

    pip install jax==0.10.2 ml_dtypes numpy

XLA ends its process on some inputs, and compiles for very long on others. `Oracle` keeps one such process, starts another
when that has ended or took too long, and says what happened. `run_all` does so for many modules, in several processes.
"""

import concurrent.futures
import os
import pickle
import queue
import selectors
import struct
import subprocess
import sys
import time

# The algebraic simplifier changes results (nested dynamic-slices, initial values of reduces), and so does precision in
# excess of what the types say. Minimum and maximum pass nan on only without the fast versions.
XLA_FLAGS = " ".join((
    "--xla_disable_hlo_passes=algsimp",
    "--xla_allow_excess_precision=false",
    "--xla_cpu_enable_fast_math=false",
    "--xla_cpu_enable_fast_min_max=false",
))
# A process is replaced after this many modules: what XLA compiles stays in memory for long.
MODULES_PER_PROCESS = 400


class Refused(Exception):
    """XLA's reader, verifier or compiler says no; the message is XLA's."""


class Crashed(Exception):
    """The process ended, or took too long."""


# ---- in the process with XLA ----


def _compile(text):
    import jax
    from jax._src.interpreters import mlir
    from jaxlib import _hlo, _jax
    from jaxlib.mlir import ir

    module = _hlo.hlo_module_from_text(text)
    stablehlo = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    client = jax.devices("cpu")[0].client
    devices = _jax.DeviceList(tuple(client.local_devices()[:1]))
    with mlir.make_ir_context():
        return client.compile_and_load(ir.Module.parse(stablehlo), devices, _jax.CompileOptions())


def _execute(text, arrays):
    import jax
    import numpy as np

    executable = _compile(text)
    results = executable.execute([jax.device_put(a) for a in arrays])
    return [np.asarray(r) for r in results]


def _read(stream):
    header = stream.read(8)
    if len(header) < 8:
        return None
    size, = struct.unpack("<q", header)
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


def _write(stream, value):
    data = pickle.dumps(value)
    stream.write(struct.pack("<q", len(data)) + data)
    stream.flush()


def serve():
    """Answers requests on standard input until it ends."""
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what XLA prints must not get between the answers
    import jax

    jax.config.update("jax_enable_x64", True)
    _write(answers, "ready")
    while (request := _read(requests)) is not None:
        try:
            _write(answers, ("results", _execute(*request)))
        except Exception as error:  # whatever XLA says is the answer
            _write(answers, ("refused", f"{error}"))


# ---- in the process that asks ----


class Oracle:
    """One process with XLA. Not for several threads at once."""
    def __init__(self, timeout_s=60):
        self.timeout_s = timeout_s
        self._process = None
        self._modules = 0

    def run(self, text, arrays):
        """The leaves of the result of the module's entry computation. Raises Refused or Crashed."""
        if self._process is None or self._modules >= MODULES_PER_PROCESS:
            self._start()
        self._modules += 1
        try:
            _write(self._process.stdin, (text, list(arrays)))
            answer = self._answer(self.timeout_s)
        except BrokenPipeError:
            answer = None
        if answer is None:
            raise Crashed(self._end())
        kind, value = answer
        if kind == "refused":
            raise Refused(value)
        return value

    def close(self):
        self._end()

    def _start(self):
        self._end()
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "XLA_FLAGS": XLA_FLAGS}
        self._process = subprocess.Popen([sys.executable, "-B", __file__, "--serve"],
                                         stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE,
                                         env=environment,
                                         bufsize=0)
        # Messages beyond the capacity of a pipe must not block the process.
        os.set_blocking(self._process.stderr.fileno(), False)
        self._modules = 0
        if self._answer(120) != "ready":
            raise RuntimeError(f"JAX does not start: {self._end()}")

    def _answer(self, timeout_s):
        """None if the process ends or takes too long."""
        self._messages = b""
        data = b""
        deadline = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            selector.register(self._process.stderr, selectors.EVENT_READ)
            while True:
                events = selector.select(deadline - time.monotonic())
                if not events:
                    self._messages += b"\ntook too long"
                    return None
                for key, _ in events:
                    part = os.read(key.fd, 1 << 20)
                    if key.fileobj is self._process.stderr:
                        self._messages = (self._messages + part)[-4000:]
                        if not part:
                            selector.unregister(self._process.stderr)
                        continue
                    if not part:
                        return None
                    data += part
                    if len(data) >= 8 and len(data) == 8 + struct.unpack("<q", data[:8])[0]:
                        return pickle.loads(data[8:])

    def _end(self):
        """Ends the process; what it said at last."""
        if self._process is None:
            return ""
        self._process.kill()
        self._process.wait()
        messages = getattr(self, "_messages", b"") + (self._process.stderr.read() or b"")
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()
        status = self._process.returncode
        self._process = None
        lines = messages.decode(errors="replace").strip().splitlines()
        return f"ended with status {status}: " + " / ".join(lines[:3])


def run_all(modules, processes=2, timeout_s=60):
    """Yields (index, results or the exception) for each (text, arrays), in no particular order."""
    modules = list(modules)
    oracles = queue.SimpleQueue()
    for _ in range(processes):
        oracles.put(Oracle(timeout_s))

    def run(index):
        oracle = oracles.get()
        try:
            return index, oracle.run(*modules[index])
        except (Refused, Crashed) as error:
            return index, error
        finally:
            oracles.put(oracle)

    with concurrent.futures.ThreadPoolExecutor(processes) as threads:
        for future in concurrent.futures.as_completed([threads.submit(run, i) for i in range(len(modules))]):
            yield future.result()
    for _ in range(processes):
        oracles.get().close()


if __name__ == "__main__":
    if sys.argv[1:] != ["--serve"]:
        sys.exit(__doc__)
    serve()
