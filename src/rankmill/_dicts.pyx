"""Rows of {item: score} and {item: grade} as arrays, in one walk over the dicts.

A look-up may run an item's own __eq__, which may do anything: what is looked up is held, and that
there is room is asked every time.
"""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

# Up to so many items of a truth are looked up in the row, which gives the score they stand beside.
cdef enum:
    FEW = 64


cdef inline bint is_grade(PyObject *value):
    return type(<object>value) in (float, int, bool)


cdef Py_ssize_t copy_scores(dict row, double[::1] scores, int64_t[::1] marks, Py_ssize_t first):
    """Copy the scores from place `first` on, and where each lies; returns how many, or -1."""
    cdef Py_ssize_t place = 0, n = 0
    cdef PyObject *item
    cdef PyObject *score
    while PyDict_Next(row, &place, &item, &score):
        if n == marks.shape[0] or first + n == scores.shape[0]:
            return -1
        if type(<object>score) is not float:
            return -1
        scores[first + n] = <object>score
        marks[n] = <int64_t>score
        n += 1
    return n


cdef int look_up_truth(dict row, dict truth, double[::1] grades, const int64_t[::1] marks,
                       list missed) except -2:
    """Find each item of a truth by the score that the row has for it.

    Returns 0 if one score is an object that several items share, -1 if a grade is no number.
    """
    cdef Py_ssize_t place = 0, at, i
    cdef PyObject *item
    cdef PyObject *grade
    cdef PyObject *score
    cdef double value
    while PyDict_Next(truth, &place, &item, &grade):
        if not is_grade(grade):
            return -1
        value = <object>grade
        key = <object>item
        score = PyDict_GetItemWithError(row, key)
        at = -1
        if score != NULL:
            for i in range(marks.shape[0]):
                if marks[i] == <int64_t>score:
                    if at >= 0:
                        return 0
                    at = i
        if at >= 0:
            grades[at] = value
        elif value > 0.0:
            missed.append(value)
    return 1


cdef int look_up_row(dict row, dict truth, double[::1] grades, list missed) except -2:
    """Look up each item of the row, and of the truth what was not found; -1 as above."""
    cdef Py_ssize_t place = 0, at = 0, found = 0
    cdef PyObject *item
    cdef PyObject *other
    cdef double value
    while PyDict_Next(row, &place, &item, &other):
        if at == grades.shape[0]:
            return -1
        grades[at] = 0.0
        key = <object>item
        other = PyDict_GetItemWithError(truth, key)
        if other != NULL:
            if not is_grade(other):
                return -1
            grades[at] = <object>other
            found += 1
        at += 1
    place = 0
    while found < len(truth) and PyDict_Next(truth, &place, &item, &other):
        if not is_grade(other):
            return -1
        value = <object>other
        key = <object>item
        if value > 0.0 and PyDict_GetItemWithError(row, key) == NULL:
            missed.append(value)
    return 1


def read_dicts(list rows, list truths, double[::1] scores, double[::1] grades, int64_t[::1] marks):
    """Fill in the score and the grade of each item end to end; marks has a place per item of a row.

    Returns the grades > 0 of each user's truth that no item of the row has; None if a row or truth
    is no plain dict, a score no float, or a grade no plain number: what was filled in by then means
    nothing.
    """
    cdef Py_ssize_t at = 0, n, i
    cdef int done
    cdef list all_missed = [], missed
    grades[:] = 0.0
    for row, truth in zip(rows, truths):
        if type(row) is not dict or type(truth) is not dict:
            return None
        n = copy_scores(row, scores, marks, at)
        if n < 0:
            return None
        missed = []
        done = 0
        if len(truth) <= FEW and 4 * len(truth) <= n:
            done = look_up_truth(row, truth, grades[at:at + n], marks[:n], missed)
        if done == 0:
            missed = []
            done = look_up_row(row, truth, grades[at:at + n], missed)
        if done < 0:
            return None
        all_missed.append(missed)
        at += n
    return all_missed if at == scores.shape[0] else None
