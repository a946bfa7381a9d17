/** Where a program finds what it knows of a packet (`struct __sk_buff`). */
export const context = { mark: 8, protocol: 16, ifindex: 40, cb4: 64 } as const

/** Of these a program may write. */
export const writableContext: readonly number[] = [context.mark, context.cb4]

/** Where it finds what it knows of a socket (`struct bpf_sock`). */
export const socket = { sourcePort: 44, state: 72 } as const

/** The state of a socket that waits for connections. */
export const LISTEN = 10
/** That of one which has ended, and stays for a while. */
export const TIME_WAIT = 6

/** What becomes of a packet: it goes on, is dropped, or the filters behind decide. */
export const actions = { ok: 0, drop: 2, unspec: -1 } as const
