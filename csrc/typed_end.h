/* Closes what typed.h opened. */
#undef FN_
#undef FN__
#undef FN
#undef TYPE
#undef T
