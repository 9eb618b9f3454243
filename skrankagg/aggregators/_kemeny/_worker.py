"""Separate process for calls of SciPy's solvers, because the only way to stop a solver is to end its process.

A solver checks the clock and signals rarely: minutes may pass between two checks. A process can be ended at any moment.
The process runs this file, which imports nothing from the package. Requests and answers are pickles.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

# Seconds between two checks for Ctrl-C, because a signal does not end a wait on Windows.
_LOOK = 0.1


class Late(Exception):
    """Error that is raised if a call does not return in time; the process of the call is then ended."""


class Unstarted(Exception):
    """Error that is raised if the system does not allow a new process."""


class Worker:
    """Process that runs solvers; it starts at the first call, and :meth:`close` ends it."""

    def __init__(self):
        self.process, self.answers, self.requests = None, None, None

    def call(self, function, *args, end=float("inf"), **kwargs):
        """Call a function in the process, and wait for the result.

        Raises Late if the function has not returned at the time `end` of the clock `time.monotonic`. The process is
        ended in this case, and also if anything else interrupts the wait.
        """
        if self.process is None:
            self._start()
        self.requests.put((function.__module__, function.__name__, args, kwargs))
        try:
            while True:
                left = end - time.monotonic()
                if left <= 0:
                    raise Late
                try:
                    answer, error = self.answers.get(timeout=min(left, _LOOK))
                except queue.Empty:
                    continue
                if error is not None:
                    raise error
                return answer
        except BaseException:
            self.close()
            raise

    def _start(self):
        command = [sys.executable, "-P", os.path.abspath(__file__)]
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except (OSError, TypeError, ValueError) as error:  # no executable, or no processes
            raise Unstarted from error
        self.process, self.requests, self.answers = process, queue.SimpleQueue(), queue.SimpleQueue()
        self.requests.put([path for path in sys.path if path])
        arguments = process, self.requests, self.answers
        threading.Thread(target=_talk, args=arguments, daemon=True).start()

    def close(self):
        """End the process."""
        if self.process is not None:
            process, self.process = self.process, None
            process.kill()
            process.wait()
            self.requests.put(None)


def _talk(process, requests, answers):
    """Pass requests and answers between two queues and the process, because pipes have no timeout on some systems."""
    try:
        with process.stdin, process.stdout:
            pickle.dump(requests.get(), process.stdin, protocol=5)
            while (request := requests.get()) is not None:
                pickle.dump(request, process.stdin, protocol=5)
                process.stdin.flush()
                answers.put(pickle.load(process.stdout))
    except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
        failed = RuntimeError("The process that runs SciPy's solvers has ended.")
        failed.__cause__ = error
        answers.put((None, failed))


def main():
    """Answer requests from standard input until the parent process ends."""
    # Ctrl-C in a terminal also reaches this process; the parent process decides how to react.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # send a solver's output to stderr, so that it does not mix with the answers
    sys.path[:] = pickle.load(source)
    waiting = queue.SimpleQueue()
    threading.Thread(target=_read, args=(source, waiting), daemon=True).start()
    while True:
        module, name, args, kwargs = waiting.get()
        try:
            answer = getattr(import_module(module), name)(*args, **kwargs), None
        except Exception as error:
            answer = None, error
        pickle.dump(answer, sink, protocol=5)
        sink.flush()


def _read(source, waiting):
    """Read requests into a queue; end this process when its parent ends, even in the middle of a call."""
    while True:
        try:
            waiting.put(pickle.load(source))
        except (OSError, EOFError, pickle.UnpicklingError):
            os._exit(0)


if __name__ == "__main__":
    main()
