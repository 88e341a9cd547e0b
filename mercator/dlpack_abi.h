/* The structures by which libraries hand each other tensors: the binary interface of DLPack
 * (https://dmlc.github.io/dlpack), as far as Mercator uses it, for programs that do not have its
 * header. Programs that do include that one before this one, or leave this one out.
 */

#ifndef MERCATOR_DLPACK_ABI_H_
#define MERCATOR_DLPACK_ABI_H_

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the memory of a tensor is. Mercator takes and gives tensors on kDLCPU only. */
enum { kDLCPU = 1 };
typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

/* The kinds of element types. Those from 7 on are of DLPack 1.1 and later. */
enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e3m4 = 7,
  kDLFloat8_e4m3 = 8,
  kDLFloat8_e4m3b11fnuz = 9,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14,
  kDLFloat4_e2m1fn = 17
};
typedef struct {
  uint8_t code;
  uint8_t bits;   /* of one element; both parts of a complex number together */
  uint16_t lanes; /* 1 */
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;     /* in elements; NULL: row-major without gaps */
  uint64_t byte_offset; /* of the first element from `data` */
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  /* Called once, by whoever has the tensor last; NULL: there is nothing to free. */
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
#endif /* MERCATOR_DLPACK_ABI_H_ */
