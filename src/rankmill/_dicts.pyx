"""Rows of {item: score} and {item: grade} as arrays, in one walk over the dicts."""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int64_t


def read_dicts(list rows, list truths, double[::1] scores, double[::1] grades, int64_t[::1] found):
    """Fill in the score and the grade of each item end to end, and how many are > 0 per user.

    False if a row or truth is no plain dict, a score no float, or a grade no plain number: what
    was filled in by then means nothing.
    """
    cdef Py_ssize_t at = 0, user, place
    cdef PyObject *item
    cdef PyObject *score
    cdef PyObject *grade
    for user in range(len(rows)):
        row, truth = rows[user], truths[user]
        if type(row) is not dict or type(truth) is not dict:
            return False
        place = found[user] = 0
        while PyDict_Next(row, &place, &item, &score):
            # Looking an item up may run its own __eq__, which may do anything: see that there is room.
            if at == scores.shape[0] or type(<object>score) is not float:
                return False
            scores[at] = <object>score
            grades[at] = 0.0
            grade = PyDict_GetItemWithError(truth, <object>item)
            if grade != NULL:
                if type(<object>grade) not in (float, int, bool):
                    return False
                grades[at] = <object>grade
                found[user] += grades[at] > 0.0
            at += 1
    return at == scores.shape[0]
