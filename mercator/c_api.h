/* The C interface of Mercator: compile and run programs, register functions that programs call, and
 * call functions by name. Of the library libmercator. docs/packed-functions.md shows how to use it,
 * from C and from Python.
 *
 * Ownership. Strings, tensors, functions, handles, lists and tables are *objects*, which are
 * counted. What a function of this interface gives out (through a pointer called `result`, or as
 * the result of a callback) is a reference that the receiver releases; what it is given (arguments)
 * is only lent until it returns: who keeps it retains it.
 *
 * Errors. A function that can fail returns NULL when it was done, and otherwise an error, which the
 * caller frees; `result` is then unchanged. NULL, and objects of the wrong kind, where they make no
 * sense are such errors (MERCATOR_USAGE). Releasing or freeing NULL does nothing.
 *
 * Threads. Everything may be used by several threads at once. Callbacks are called on the thread
 * that calls the function, or on one that an engine runs instructions on; deleters on the thread
 * that gives up the last reference. Neither may let an exception or a longjmp out.
 *
 * Text is UTF-8 and has a length; it needs no zero at its end.
 */

#ifndef MERCATOR_C_API_H_
#define MERCATOR_C_API_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MERCATOR_API __attribute__((visibility("default")))
#else
#define MERCATOR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions ---- */

/* The version of this interface. Programs that were compiled with one version run with libraries of
 * the same. */
#define MERCATOR_ABI_VERSION 1
MERCATOR_API int32_t mercator_abi_version(void);
/* Of the library, "0.1.0"; ends in a zero. */
MERCATOR_API const char* mercator_version(void);

/* ---- errors ---- */

typedef struct MercatorError MercatorError;

enum {
  MERCATOR_OK = 0,
  MERCATOR_INVALID_INPUT = 1, /* the text of a program, or data, is wrong */
  MERCATOR_USAGE = 2,         /* the caller asked for something that makes no sense */
  MERCATOR_UNSUPPORTED = 3,   /* the input is right, but asks for something that is not supported */
  MERCATOR_IO = 4,            /* a file could not be read or written */
  MERCATOR_EXHAUSTED = 5,     /* it needs more memory than there is */
  MERCATOR_INTERRUPTED = 6    /* somebody asked to stop */
};

/* One of these, MERCATOR_OK for NULL. */
MERCATOR_API int32_t mercator_error_code(const MercatorError* error);
/* One line that says what is wrong, and one that says what would be right ("" if nobody knows). End
 * in a zero, and are valid as long as the error. "" for NULL. */
MERCATOR_API const char* mercator_error_message(const MercatorError* error);
MERCATOR_API const char* mercator_error_hint(const MercatorError* error);
MERCATOR_API void mercator_error_free(MercatorError* error);
/* An error for a callback to return. A `code` that is none of these stands for MERCATOR_USAGE. */
MERCATOR_API MercatorError* mercator_error_new(int32_t code, const char* message,
                                               size_t message_size);

/* ---- values and objects ---- */

typedef struct MercatorObject MercatorObject;

enum {
  MERCATOR_NULL = 0,
  MERCATOR_BOOL = 1,
  MERCATOR_INTEGER = 2,
  MERCATOR_REAL = 3,
  /* Of objects: */
  MERCATOR_STRING = 4,
  MERCATOR_TENSOR = 5,
  MERCATOR_FUNCTION = 6,
  MERCATOR_HANDLE = 7,
  MERCATOR_LIST = 8
};

/* An argument or a result. */
typedef struct MercatorValue {
  int32_t kind;
  int32_t reserved; /* 0 */
  union {
    int64_t integer; /* of MERCATOR_BOOL (0 or 1) and MERCATOR_INTEGER */
    double real;
    MercatorObject* object;
  } as;
} MercatorValue;

/* The kind of an object; MERCATOR_NULL for NULL. */
MERCATOR_API int32_t mercator_object_kind(const MercatorObject* object);
/* One more reference, to the object that is returned, which is `object`. */
MERCATOR_API MercatorObject* mercator_retain(MercatorObject* object);
MERCATOR_API void mercator_release(MercatorObject* object);
/* Releases the object of a value, if it has one, and makes the value null. */
MERCATOR_API void mercator_value_release(MercatorValue* value);

MERCATOR_API MercatorError* mercator_string_new(const char* data, size_t size,
                                                MercatorObject** result);
/* The bytes, followed by a zero; valid as long as the string. `size` may be NULL. */
MERCATOR_API MercatorError* mercator_string_data(const MercatorObject* string, const char** data,
                                                 size_t* size);

/* A list of values, to whose objects it has references of its own. Tuples of HLO are lists. Lists
 * lie at most 100 deep inside each other. */
MERCATOR_API MercatorError* mercator_list_new(const MercatorValue* elements, size_t count,
                                              MercatorObject** result);
MERCATOR_API MercatorError* mercator_list_size(const MercatorObject* list, size_t* size);
MERCATOR_API MercatorError* mercator_list_element(const MercatorObject* list, size_t index,
                                                  MercatorValue* result);

/* An object of the caller's, under the name of its type ("project.Type"). `deleter`, which may be
 * NULL, gets it when nobody has a reference any more; not if there is an error. */
MERCATOR_API MercatorError* mercator_handle_new(const char* type_name, size_t type_name_size,
                                                void* pointer, void (*deleter)(void* pointer),
                                                MercatorObject** result);
/* The pointer of a handle that mercator_handle_new made under that name. */
MERCATOR_API MercatorError* mercator_handle_pointer(const MercatorObject* handle,
                                                    const char* type_name, size_t type_name_size,
                                                    void** pointer);

/* ---- tensors ---- */

/* By DLPack: mercator/dlpack_abi.h has the structure, if dlpack.h is not at hand. */
struct DLManagedTensor;

/* A tensor in the memory of `tensor`, to which nobody may write from now on. Its deleter is called
 * when nobody has a reference any more, or at once if the memory has gaps or is not aligned, since
 * then the elements are copied. If there is an error, it remains the caller's. */
MERCATOR_API MercatorError* mercator_tensor_from_dlpack(struct DLManagedTensor* tensor,
                                                        MercatorObject** result);
/* A tensor in the same memory, which may only be read; whoever has it last calls its deleter. */
MERCATOR_API MercatorError* mercator_tensor_to_dlpack(const MercatorObject* tensor,
                                                      struct DLManagedTensor** result);
/* A look at the tensor, valid as long as it; its deleter is not to be called. Has strides. */
MERCATOR_API MercatorError* mercator_tensor_view(const MercatorObject* tensor,
                                                 const struct DLManagedTensor** view);
/* A row-major tensor of zeros, with the element type that DLPack calls so. Whoever makes it may
 * write to its memory, which the view shows, until somebody else gets the tensor; a bool must then
 * be 0 or 1, or it is an error to hand the tensor on. */
MERCATOR_API MercatorError* mercator_tensor_new(uint8_t type_code, uint8_t type_bits,
                                                const int64_t* dimensions, size_t rank,
                                                MercatorObject** result);

/* ---- functions ---- */

/* Sets `result`, which is null at first, or returns an error. The caller takes what it has set in
 * either case. The arguments are lent: to return one, or to keep it, retain its object. */
typedef MercatorError* (*MercatorCallback)(void* context, const MercatorValue* arguments,
                                           size_t argument_count, MercatorValue* result);

/* The function that calls `callback`; `name` is what messages call it. `deleter`, which may be
 * NULL, gets the context when nobody has a reference any more; not if there is an error. */
MERCATOR_API MercatorError* mercator_function_new(const char* name, size_t name_size,
                                                  MercatorCallback callback, void* context,
                                                  void (*deleter)(void* context),
                                                  MercatorObject** result);
/* Calls a function. `result` may be NULL; the result is then dropped. */
MERCATOR_API MercatorError* mercator_call(const MercatorObject* function,
                                          const MercatorValue* arguments, size_t argument_count,
                                          MercatorValue* result);

/* ---- tables of functions ---- */

/* Where a table is wanted, NULL is the table of the process. */

/* A table that stands on `parent`: what is not found in it is looked for there. With NULL it stands
 * on none. It is a handle of the type "mercator.FunctionTable". */
MERCATOR_API MercatorError* mercator_table_new(MercatorObject* parent, MercatorObject** result);
/* Registers a function. An error if the name is taken in that table, unless `replace` is not 0. The
 * table has a reference until the function is removed or replaced; the table of the process keeps
 * it to the end, and does not free what is in it then. */
MERCATOR_API MercatorError* mercator_register(MercatorObject* table, const char* name,
                                              size_t name_size, MercatorObject* function,
                                              int32_t replace);
/* An error of code MERCATOR_USAGE if there is no function of that name. */
MERCATOR_API MercatorError* mercator_find(const MercatorObject* table, const char* name,
                                          size_t name_size, MercatorObject** result);
/* The same. Calls that are under way go on. */
MERCATOR_API MercatorError* mercator_remove(MercatorObject* table, const char* name,
                                            size_t name_size);
/* The names in the table, without those that it stands on: a sorted list of strings. */
MERCATOR_API MercatorError* mercator_names(const MercatorObject* table, MercatorObject** result);

/* ---- programs ---- */

/* How a program is compiled and run. All but `struct_size` may be 0. */
typedef struct MercatorCompileOptions {
  size_t struct_size; /* sizeof(MercatorCompileOptions) */
  const char* const*
      engines; /* names that end in a zero, in order of preference; none: interpreter */
  size_t engine_count;
  MercatorObject* functions; /* a table where custom calls are looked up first; may be NULL */
  MercatorObject* stop;      /* of mercator_stop_new: ends compilation and runs; may be NULL */
  uint64_t seed;             /* where the random numbers of a program start */
  /* The bytes that a call may have in use for what it computes, with its result, but without its
   * arguments and without what functions that it calls are given and make. Results of earlier calls
   * do not count. 0: what the machine has, for all calls together. */
  int64_t memory_limit;
  int32_t threads; /* how many a run may use; 0: one */
} MercatorCompileOptions;

/* Compiles a program: HLO text, a HloModuleProto, StableHLO, or what `mercator compile` wrote (to
 * which `engines` does not apply). The function takes the values of its parameters, tensors and,
 * for tuples, lists, and returns that of its root; a token is null. `options` may be NULL.
 *
 * Custom calls that Mercator does not know call the function that is registered under their target
 * in `functions` or the table of the process, with the operands, and the backend_config as a string
 * if there is one. It returns a tensor of the shape of the instruction, or a list for a tuple. A
 * table that holds a function compiled with it is only freed once that function is removed. */
MERCATOR_API MercatorError* mercator_compile(const char* program, size_t program_size,
                                             const MercatorCompileOptions* options,
                                             MercatorObject** result);

/* A handle by which programs that were compiled with it are stopped: the calls under way, soon, and
 * all later ones end with an error of code MERCATOR_INTERRUPTED. */
MERCATOR_API MercatorError* mercator_stop_new(MercatorObject** result);
/* May be called by any thread. */
MERCATOR_API MercatorError* mercator_stop_request(const MercatorObject* stop);

#ifdef __cplusplus
}
#endif

#endif /* MERCATOR_C_API_H_ */
