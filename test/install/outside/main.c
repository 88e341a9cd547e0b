#include <mercator/c_api.h>
#include <mercator/dlpack_abi.h>
#include <stdio.h>

int main(void) {
  MercatorObject* program = NULL;
  MercatorError* error = mercator_compile("HloModule m\n", 12, NULL, &program);
  printf("error %d: %s\n", (int)mercator_error_code(error), mercator_error_message(error));
  mercator_error_free(error);
  return 0;
}
