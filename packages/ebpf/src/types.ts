/** Spec of a BPF map. All processes that create or open the map must use equal specs. */
export interface MapSpec<M> {
  readonly kind: 'hash' | 'array' | 'queue'
  readonly name: string
  /** Size of a key of the map in bytes. */
  readonly keySize: number
  /** Size of a value of the map in bytes. */
  readonly valueSize: number
  readonly maxEntries: number
  /** Adds typed functions such as `get` to an open map. Only `Ebpf` and `Pins` call this function. */
  open(raw: object): M
}

/**
 * Members that every open BPF map has. `close` only closes the descriptor. A map that is pinned, or that a program
 * uses, continues to exist.
 */
export interface OpenMap extends Disposable {
  readonly name: string
  /**
   * File descriptor of the map, for BPF instructions that refer to the map. Throws `EbpfError('CLOSED')` after `close`.
   */
  readonly fd: number
  /** Id that the kernel assigned to the map. */
  readonly id: number
  /**
   * Pins the map at a path. A pinned map outlives this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`, `NO_BPFFS`,
   * `EPERM` …
   */
  pin(path: string): void
  /** Closes the map's descriptor. A second call does nothing. */
  close(): void
}

/**
 * An open BPF program for traffic on links (`BPF_PROG_TYPE_SCHED_CLS`). `close` only closes the descriptor: a pinned or
 * attached program continues to exist.
 */
export interface Program extends Disposable {
  readonly name: string
  /** File descriptor of the program. Throws `EbpfError('CLOSED')` after `close`. */
  readonly fd: number
  /** The kernel's id of the program. The kernel assigns a new id each time that a program is loaded. */
  readonly id: number
  /** Hash of the program's instructions as 16 hexadecimal digits. On one kernel, equal programs have equal hashes. */
  readonly tag: string
  /**
   * Pins the program at a path. A pinned program outlives this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`,
   * `NO_BPFFS`, `EPERM` …
   */
  pin(path: string): void
  /** Runs the program on a given packet, without a link (`BPF_PROG_TEST_RUN`). Throws an `EbpfError`. */
  testRun(input: {
    /** Packet that the program gets, with its Ethernet header: at least 14 bytes. */
    readonly packet: Uint8Array
    /** Mark of the packet when the program starts. Default: 0. */
    readonly mark?: number | undefined
    /** Values of `__sk_buff.cb` when the program starts: at most five 32-bit numbers. Default: zeros. */
    readonly cb?: readonly number[] | undefined
    /** Number of times that the kernel runs the program. Default: 1. */
    readonly repeat?: number | undefined
  }): {
    /** Return value of the program as a signed number. */
    readonly returned: number
    /** Verdict on the packet: the name of the program's return value. After `unspec` the next filter decides. */
    readonly action: 'unspec' | 'ok' | 'reclassify' | 'shot' | 'pipe' | 'stolen' | 'redirect' | 'other'
    readonly packet: Uint8Array
    readonly mark: number
    readonly cb: readonly number[]
    /** Mean duration of one run of the program in nanoseconds. */
    readonly nanoseconds: number
  }
  /** Closes the program's descriptor. A second call does nothing. */
  close(): void
}

/** Pinned maps and programs in one folder with a layout version. */
export interface Pins {
  readonly path: string
  /** Path of a pin in this folder, from the pin's name. Throws `EbpfError('INVALID')` for an invalid name. */
  pathOf(name: string): string
  /** Opens the map that is pinned under the spec's name. With the option `create`, creates and pins a missing map. */
  map<M>(spec: MapSpec<M>): M
  /** Opens the program that is pinned in the folder under a name. Throws `EbpfError`: `NOT_FOUND` … */
  program(name: string): Program
  /** Pins a program in the folder. Atomically replaces a program that is pinned under the same name. */
  putProgram(name: string, program: Pick<Program, 'pin'>): void
  /** Removes a pin from the folder. Returns false if the pin is missing. */
  unpin(name: string): boolean
  /** Names of all pins in the folder, sorted. */
  list(): string[]
  /** Removes all pins and the folder. Attached programs, and open maps and programs, continue to exist. */
  remove(): void
}

/** Access to the kernel's eBPF: maps, programs, pins. Every call is synchronous and may throw an `EbpfError`. */
export interface Ebpf {
  /** Creates a BPF map. Pin the map to share it with other processes. */
  createMap<M>(spec: MapSpec<M>): M
  /** Opens a pinned BPF map. Throws `NOT_FOUND`, or `MISMATCH` if the map's kind, sizes or number of entries differ. */
  openMap<M>(spec: MapSpec<M>, path: string): M
  /**
   * Loads a BPF program into the kernel. Throws `VERIFIER` with the verifier's output. Throws `NOT_SUPPORTED` for an
   * unknown helper function.
   */
  load(source: {
    /** Name of the program: at most 15 characters of `A-Z a-z 0-9 _ .`. */
    readonly name: string
    /**
     * BPF instructions of eight bytes each, little-endian. An instruction that refers to a map contains the map's file
     * descriptor.
     */
    readonly instructions: Uint8Array
    /** License of the program: `GPL`, `Dual MIT/GPL`, `Apache-2.0` … Some helper functions require a GPL license. */
    readonly license: string
  }): Program
  /**
   * Opens a BPF program that any process has pinned. Throws `NOT_FOUND`, or `MISMATCH` if it is not a program for
   * traffic on links.
   */
  openProgram(path: string): Program
  /**
   * Opens a folder of pinned maps and programs. Throws `NO_BPFFS`, or `MISMATCH` if the folder has another version.
   * Throws `NOT_FOUND` for a missing folder without the option `create`.
   */
  pins(
    folder: string,
    options: {
      /**
       * Version of the layout of the pinned maps and programs. Raise the version when the layout changes. A folder with
       * another version is refused.
       */
      readonly version: number
      /** True to create a missing folder and missing maps. Default: false, for a process that only reads. */
      readonly create?: boolean | undefined
    },
  ): Pins
  /** Removes a folder with all its pins, whatever the folder's version. Does nothing if the folder does not exist. */
  removePins(folder: string): void
  /** Tests which helper functions BPF programs may call on this kernel. Throws `EPERM` if the test is not possible. */
  features(): {
    /**
     * True if BPF programs may call `bpf_skc_lookup_tcp` (Linux 5.2), which also finds sockets during the TCP
     * handshake.
     */
    readonly skcLookup: boolean
    /** True if BPF programs may call `bpf_sk_assign` (Linux 5.7), which sets the socket that receives the packet. */
    readonly skAssign: boolean
  }
  /** True if a path is on a bpf file system, where maps and programs can be pinned. */
  isOnBpffs(path: string): boolean
  /** Mounts a bpf file system on a folder, unless the folder is on one already. Default folder: `/sys/fs/bpf`. */
  mountBpffs(folder?: string): { mounted: boolean }
}
