"""Chromium without a window, for checks of the built documentation; it needs no package, only the program."""

import base64
import fnmatch
import json
import os
import shutil
import tempfile
from pathlib import Path

__all__ = ["Browser", "find_browser", "pages"]

#: The file descriptors at which Chromium reads commands and writes answers.
READS, WRITES = 3, 4


def find_browser():
    """Return the path of Chromium or Chrome, or None if neither is installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def pages(site, patterns=("*",)):
    """Return the pages of a build whose paths match one of the patterns, without those of its static files."""
    found = {path.relative_to(site).as_posix(): path for path in sorted(Path(site).rglob("*.html"))}
    return {
        name: path
        for name, path in found.items()
        if not name.startswith("_") and any(fnmatch.fnmatch(name.removesuffix(".html"), one) for one in patterns)
    }


class Browser:
    """Open pages at a width and in a theme, run JavaScript in them and take pictures.

    Parameters
    ----------
    program : str
        Path of Chromium.
    """

    def __init__(self, program):
        import fcntl  # Windows lacks this module

        self._folder = tempfile.TemporaryDirectory()
        commands, answers = os.pipe(), os.pipe()
        # Numbers above 10, so that Chromium's own two numbers are free.
        reads, writes = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (commands[0], answers[1]))
        silent = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, reads, READS), (os.POSIX_SPAWN_DUP2, writes, WRITES)]
        actions += [(os.POSIX_SPAWN_DUP2, silent, number) for number in (0, 1, 2)]
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        call = [program, *options, f"--user-data-dir={self._folder.name}"]
        self._process = os.posix_spawn(program, call, os.environ, file_actions=actions)
        for number in (commands[0], answers[1], reads, writes, silent):
            os.close(number)
        self._to, self._from = os.fdopen(commands[1], "wb"), os.fdopen(answers[0], "rb")
        self._number, self._session, self._rest, self._events = 0, None, b"", []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")
        self._call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self):
        """Return the browser."""
        return self

    def __exit__(self, *error):
        """Close the browser."""
        self._session = None
        self._call("Browser.close")
        os.waitpid(self._process, 0)
        self._to.close()
        self._from.close()
        self._folder.cleanup()

    def open(self, page, width=1440, height=1000, theme="light"):
        """Open a page.

        Parameters
        ----------
        page : Path
            The file.
        width, height : int, default=1440, 1000
            Size of the window in pixels.
        theme : {"light", "dark"}, default="light"
            The colours that the reader prefers.
        """
        self.change(width, height, theme)
        self._events.clear()
        loader = self._call("Page.navigate", url=Path(page).resolve().as_uri())["loaderId"]
        # The event of the empty first page can come late, so the event must name this page's loader.
        while ("load", loader) not in self._events:
            self._read()
        self.run("document.fonts.ready.then(() => 0)")

    def change(self, width=1440, height=1000, theme="light"):
        """Change the size of the window and the colours that the reader prefers; the page stays open."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.run(
            f"""globalThis.changed = new Promise(done => {{
              const query = matchMedia("(prefers-color-scheme: {theme})");
              if (query.matches) done(); else query.addEventListener("change", done, {{once: true}});
            }}); 0"""
        )
        wish = {"name": "prefers-color-scheme", "value": theme}
        self._call("Emulation.setEmulatedMedia", features=[wish])
        # The page's own functions for this event are done before the next task, and the new size is drawn by then.
        self.run("changed.then(() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))).then(() => 0)")

    def run(self, script):
        """Run JavaScript in the page, and return its value; wait if it is a promise."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def picture(self, scale=1.0):
        """Return the window's content as the bytes of a PNG."""
        size = self.run("({width: innerWidth, height: innerHeight, x: scrollX, y: scrollY})")
        return base64.b64decode(self._call("Page.captureScreenshot", clip={**size, "scale": scale})["data"])

    def _call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _read(self):
        """Read the next answer or event of the browser."""
        while b"\0" not in self._rest:
            part = self._from.read1(1 << 20)
            if not part:
                raise RuntimeError("the browser has stopped")
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        answer = json.loads(text)
        if answer.get("method") == "Page.lifecycleEvent":
            self._events.append((answer["params"]["name"], answer["params"]["loaderId"]))
        return answer
