/* C[M,N] = A[M,K] * B[K,N] in float32, B packed in panels of 32 columns.
 *
 * Freestanding: the object is linked by the IREE compiler into an embedded ELF, so there is no libc, no global
 * and no call to anything outside this file. One file serves every CPU variant: the vector width comes from the
 * flags it is compiled with, and the packing is the same for all, so packed weights fit any machine.
 *
 *   a    A, row-major [M][K], from element a_offset on
 *   b    ceil(N/32) panels [K][32] one after the other, columns past N filled with zeros, from b_offset on
 *   c    C, row-major [M][N], from c_offset on
 *   panel, block   which piece this call computes: columns 32*panel.., rows rows*block.. (at most `rows` of them)
 *
 * Pieces are disjoint in C, so any number of threads may take one each.
 */
#include <stddef.h>

#define PANEL 32

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define ROWS_AT_ONCE 14 /* 14 x 2 sums, 2 of B, 1 of A: 31 of 32 registers */
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#define ROWS_AT_ONCE 3 /* 3 x 4 sums, the rest of 16 registers for A and B */
#elif defined(__aarch64__)
#define VECTOR_BYTES 16
#define ROWS_AT_ONCE 3 /* 3 x 8 sums of 32 registers */
#else
#define VECTOR_BYTES 16
#define ROWS_AT_ONCE 1 /* 1 x 8 sums of 16 registers */
#endif

#define LANES (VECTOR_BYTES / 4)
#define VECTORS (PANEL / LANES)

/* Aligned to a float only: callers pass any offset, and unaligned moves cost nothing on aligned addresses. */
typedef float vector __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

#define UNROLL _Pragma("GCC unroll 16")

/* `m` rows of one panel. `m` is a constant at every call, so the sums live in registers. `columns` of the panel
 * exist in C (32 but for the last panel). */
static inline __attribute__((always_inline)) void rows_times_panel(const float *restrict a, const float *restrict b,
                                                                   float *restrict c, size_t K, size_t N,
                                                                   size_t columns, const int m) {
  vector sum[ROWS_AT_ONCE][VECTORS];
  UNROLL for (int i = 0; i < m; ++i) {
    UNROLL for (int v = 0; v < VECTORS; ++v) sum[i][v] = (vector){0};
  }
  for (size_t k = 0; k < K; ++k) {
    vector row[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; ++v) row[v] = *(const vector *)(b + k * PANEL + v * LANES);
    UNROLL for (int i = 0; i < m; ++i) {
      const float x = a[i * K + k];
      UNROLL for (int v = 0; v < VECTORS; ++v) sum[i][v] += x * row[v];
    }
  }
  if (columns == PANEL) {
    UNROLL for (int i = 0; i < m; ++i) {
      UNROLL for (int v = 0; v < VECTORS; ++v) *(vector *)(c + i * N + v * LANES) = sum[i][v];
    }
    return;
  }
  UNROLL for (int i = 0; i < m; ++i) {
    float line[PANEL];
    UNROLL for (int v = 0; v < VECTORS; ++v) *(vector *)(line + v * LANES) = sum[i][v];
    for (size_t j = 0; j < columns; ++j) c[i * N + j] = line[j];
  }
}

__attribute__((visibility("default"))) void davit_sgemm_panel(const float *a, size_t a_offset, const float *b,
                                                              size_t b_offset, float *c, size_t c_offset, size_t M,
                                                              size_t N, size_t K, size_t panel, size_t rows,
                                                              size_t block) {
  const size_t first = panel * PANEL;
  const size_t columns = N - first < PANEL ? N - first : PANEL;
  const size_t end = (block + 1) * rows < M ? (block + 1) * rows : M;
  a += a_offset;
  b += b_offset + first * K;
  c += c_offset + first;
  size_t i = block * rows;
  for (; i + ROWS_AT_ONCE <= end; i += ROWS_AT_ONCE)
    rows_times_panel(a + i * K, b, c + i * N, K, N, columns, ROWS_AT_ONCE);
#define REST(m) \
  case m:       \
    rows_times_panel(a + i * K, b, c + i * N, K, N, columns, m); \
    break;
  switch (end > i ? end - i : 0) {
#if ROWS_AT_ONCE > 1
    REST(1) REST(2)
#endif
#if ROWS_AT_ONCE > 3
    REST(3) REST(4) REST(5) REST(6) REST(7) REST(8) REST(9) REST(10) REST(11) REST(12) REST(13)
#endif
  }
}
