"""Helper modules that do not depend on ranked lists, for example for warnings, progress and argument checks."""
