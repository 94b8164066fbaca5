"""The checker knows the same classes of faults as the runtime."""

from compiler.check.settings import FAULTS, RETRYABLE
from stdlib.runtime.fault import FAULT_CLASSES


def test_the_classes_of_faults():
    assert tuple(row.name for row in FAULT_CLASSES) == FAULTS
    assert tuple(row.name for row in FAULT_CLASSES if row.retryable) == RETRYABLE
