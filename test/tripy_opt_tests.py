"""The format of the lit tests that --verify-roundtrip changes. A module of its own: lit sends it to its workers."""
import re

import lit.formats

# Where tripy-opt is a command: not in text that a test looks for.
COMMAND = r"(?<![-\w./])tripy-opt(?![-\w.])"
RUNS_IT = re.compile("RUN:.*" + COMMAND)


class TestsOfTripyOpt(lit.formats.ShTest):
    """The tests with a RUN line that runs tripy-opt."""

    def getTestsInDirectory(self, *arguments):
        for test in super().getTestsInDirectory(*arguments):
            with open(test.getSourcePath(), errors="replace") as text:
                if RUNS_IT.search(text.read()):
                    yield test
