# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tool-info module of BenchExec for Sectile, a model checker for infinite-state systems."""

import benchexec.result as result
import benchexec.tools.template

# Whole lines that are answers about Horn clauses.
HORN = {
    "sat": result.RESULT_TRUE_PROP,
    "unsat": result.RESULT_FALSE_PROP,
    "unknown": result.RESULT_UNKNOWN,
}

# The last words of lines about single properties of other inputs.
PROPERTY = {
    "holds": result.RESULT_TRUE_PROP,
    "violated": result.RESULT_FALSE_PROP,
}

# Exit codes that are no verdicts.
ERRORS = {2: "wrong usage", 3: "unsupported input", 4: "internal error"}


class Tool(benchexec.tools.template.BaseTool2):
    """Sectile: `sectile check FILE`."""

    REQUIRED_PATHS = ["sectile"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("sectile")

    def name(self):
        return "Sectile"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="sectile")

    def cmdline(self, executable, options, task, rlimits):
        limits = []
        # Sectile ends by itself a little before the limits, and says what it found out.
        if rlimits.cputime and "--timeout" not in options:
            limits += ["--timeout", f"{max(1, int(rlimits.cputime * 0.95))}s"]
        if rlimits.memory and "--memory" not in options:
            limits += ["--memory", f"{int(rlimits.memory * 0.95) >> 20}MiB"]
        return [executable, "check", *options, *limits, task.single_input_file]

    def determine_result(self, run):
        answers = []
        for line in run.output:
            line = line.strip()
            if line in HORN:
                answers.append(HORN[line])
            elif ": " in line:
                words = line.split(": ", 1)[1]
                if words in PROPERTY:
                    answers.append(PROPERTY[words])
                elif words.startswith("unknown ("):
                    answers.append(result.RESULT_UNKNOWN)
        if run.exit_code.value in ERRORS:
            return f"ERROR ({ERRORS[run.exit_code.value]})"
        for worst in (
            result.RESULT_FALSE_PROP,
            result.RESULT_UNKNOWN,
            result.RESULT_TRUE_PROP,
        ):
            if worst in answers:
                return worst
        if run.was_timeout:
            return "TIMEOUT"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        # `--stats` prints lines such as `kojak.iterations 12`.
        for line in output:
            words = line.split()
            if len(words) == 2 and words[0].endswith("." + identifier):
                return words[1]
        return None
