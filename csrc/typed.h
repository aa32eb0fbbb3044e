/* Opens a block of code compiled for the kernel type T: FN(name) is name_f32, TYPE is rm_f32. typed_end.h
 * closes it. */
#define FN_(name, type) name##_##type
#define FN__(name, type) FN_(name, type)
#define FN(name) FN__(name, T)
#define TYPE FN__(rm, T)
