"""A headless Chromium, driven over the DevTools protocol with nothing but the standard library."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find():
    """The path of a Chromium; None if there is none."""
    return os.environ.get("MERCATOR_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class WebSocket:
    """The client's side of RFC 6455, as far as DevTools needs it: text messages, none of them masked by the server."""

    def __init__(self, url):
        host, _, path = url.removeprefix("ws://").partition("/")
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        self.buffer = self.buffer.partition(b"\r\n\r\n")[2]

    def send(self, text):
        data = text.encode()
        head = b"\x81"
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 1 << 16:
            head += struct.pack(">BH", 0x80 | 126, len(data))
        else:
            head += struct.pack(">BQ", 0x80 | 127, len(data))
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def _read(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise ConnectionError("the browser closed the connection")
            self.buffer += more
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self):
        """The next text message."""
        text = b""
        while True:
            first, second = self._read(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack(">H", self._read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self._read(8))
            data = self._read(size)
            if first & 0x0F in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()
            elif first & 0x0F == 8:
                raise ConnectionError("the browser closed the connection")


class Page:
    """A tab. Errors of its scripts and messages of its console are collected in `errors`."""

    def __init__(self, url):
        self.socket = WebSocket(url)
        self.number = 0
        self.errors = []
        self.events = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._event(message)

    def _event(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.errors.append(json.dumps(parameters["args"]))

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        while "Page.loadEventFired" not in self.events:
            self._event(json.loads(self.socket.receive()))
        self.evaluate("document.fonts.ready.then(() => 0)")

    def evaluate(self, expression):
        """The value of JavaScript, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def work_ms(self):
        """How long the main thread has worked so far, without what it waited for the processor."""
        metrics = {metric["name"]: metric["value"] for metric in self.call("Performance.getMetrics")["metrics"]}
        return 1000 * metrics["TaskDuration"]

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def _mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        self._mouse("mouseMoved", x, y)
        for i in range(1, count + 1):
            self._mouse("mousePressed", x, y, button="left", clickCount=i)
            self._mouse("mouseReleased", x, y, button="left", clickCount=i)
        self.settle()

    def drag(self, x0, y0, x1, y1):
        self._mouse("mouseMoved", x0, y0)
        self._mouse("mousePressed", x0, y0, button="left", clickCount=1)
        self._mouse("mouseMoved", x1, y1, button="left")
        self._mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.settle()

    def key(self, key, text=None, modifiers=0):
        """Presses a key by its name in DOM; `text` is what it types."""
        codes = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0), "modifiers": modifiers}
        text = text if text is not None else ("\r" if key == "Enter" else key if len(key) == 1 else None)
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.settle()

    def type(self, text):
        for character in text:
            self.key(character)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


class Browser:
    """A Chromium with a profile of its own; `with Browser() as browser: page = browser.page()`."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [
                find(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-extensions",
                "--remote-allow-origins=*",
                "--remote-debugging-port=0",
                f"--user-data-dir={self.folder.name}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.port = self._port()
        return self

    def _port(self):
        path = os.path.join(self.folder.name, "DevToolsActivePort")
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError("the browser does not start")
            if os.path.exists(path) and os.path.getsize(path) > 0:
                with open(path, encoding="ascii") as file:
                    return int(file.readline())
            time.sleep(0.1)
        raise RuntimeError("the browser takes too long to start")

    def page(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/list") as answer:
            targets = json.load(answer)
        url = next(target["webSocketDebuggerUrl"] for target in targets if target["type"] == "page")
        return Page(url)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
