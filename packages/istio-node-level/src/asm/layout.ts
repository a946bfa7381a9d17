/** Offsets of the packet's fields in `struct __sk_buff`, the context of tc programs. */
export const context = { mark: 8, protocol: 16, ifindex: 40, cb4: 64 } as const

/** Offsets in `struct __sk_buff` that an eBPF program of this package is permitted to write. */
export const writableContext: readonly number[] = [context.mark, context.cb4]

/** Offsets of a socket's fields in `struct bpf_sock`. */
export const socket = { sourcePort: 44, state: 72 } as const

/** Value of `state` in `struct bpf_sock` for a listening TCP socket (`BPF_TCP_LISTEN`). */
export const LISTEN = 10
/** Value of `state` in `struct bpf_sock` for a closed TCP socket that the kernel still keeps (`BPF_TCP_TIME_WAIT`). */
export const TIME_WAIT = 6

/** Results of a tc program: pass the packet, drop it, or leave the decision to the next filter. */
export const actions = { ok: 0, drop: 2, unspec: -1 } as const
