/** Spec of a map. The creator and all programs that open the map use the same spec. `M` is the type of the open map. */
export interface MapSpec<M> {
  readonly kind: 'hash' | 'array' | 'queue'
  readonly name: string
  /** Size of a key in bytes. */
  readonly keySize: number
  /** Size of a value in bytes. */
  readonly valueSize: number
  readonly maxEntries: number
  /** Adds the typed calls to an open map. Only `Ebpf` and `Pins` call it. */
  open(raw: object): M
}

/** Members of every open map. After `close` the map stays where it is pinned or used. */
export interface OpenMap extends Disposable {
  readonly name: string
  /** Descriptor for instructions that refer to the map. Throws `EbpfError('CLOSED')`. */
  readonly fd: number
  /** The kernel's id of the map. */
  readonly id: number
  /**
   * Pins the map, so that it outlives this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`, `NO_BPFFS`, `EPERM` …
   */
  pin(path: string): void
  /** A second call does nothing. */
  close(): void
}

/**
 * An open program for traffic on links (`BPF_PROG_TYPE_SCHED_CLS`). After `close` it stays where it is pinned or
 * attached.
 */
export interface Program extends Disposable {
  readonly name: string
  /** Descriptor. Throws `EbpfError('CLOSED')`. */
  readonly fd: number
  /** The kernel's id of the program. Each load gets another one. */
  readonly id: number
  /** Hash of the instructions, 16 hexadecimal digits. The hash is the same for each load on one kernel. */
  readonly tag: string
  /**
   * Pins the program, so that it outlives this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`, `NO_BPFFS`, `EPERM`
   * …
   */
  pin(path: string): void
  /** Runs the program on a given packet, without a link (`BPF_PROG_TEST_RUN`). Throws an `EbpfError`. */
  testRun(input: {
    /** The packet with its Ethernet header, at least 14 bytes. */
    readonly packet: Uint8Array
    /** Mark of the packet. Default: 0. */
    readonly mark?: number | undefined
    /** At most five 32-bit numbers. Default: zeros. */
    readonly cb?: readonly number[] | undefined
    /** Number of runs. Default: 1. */
    readonly repeat?: number | undefined
  }): {
    /** Return value of the program, signed. */
    readonly returned: number
    /** The return value as a word, which decides about the packet. With `unspec` the next filter decides. */
    readonly action: 'unspec' | 'ok' | 'reclassify' | 'shot' | 'pipe' | 'stolen' | 'redirect' | 'other'
    readonly packet: Uint8Array
    readonly mark: number
    readonly cb: readonly number[]
    /** Mean time of a run. */
    readonly nanoseconds: number
  }
  /** A second call does nothing. */
  close(): void
}

/** A group of pins with one version, in a folder of a bpf file system. */
export interface Pins {
  readonly path: string
  /** Path of a pin. Throws `EbpfError('INVALID')`. */
  pathOf(name: string): string
  /** Opens the map that is pinned under its name. With `create`, makes and pins a missing map. */
  map<M>(spec: MapSpec<M>): M
  /** Opens the program that is pinned under a name. Throws `EbpfError`: `NOT_FOUND` … */
  program(name: string): Program
  /** Pins a program. Replaces a pinned one atomically. */
  putProgram(name: string, program: Pick<Program, 'pin'>): void
  /** Removes a pin. Returns false if it is missing. */
  unpin(name: string): boolean
  /** Sorted names of the pins. */
  list(): string[]
  /** Removes all pins and the folder. Attached and open objects stay. */
  remove(): void
}

/** eBPF of a kernel. Every call is synchronous, and throws an `EbpfError`. */
export interface Ebpf {
  /** Creates a map. It is private to this process until it is pinned, or used by a program. */
  createMap<M>(spec: MapSpec<M>): M
  /** Opens a pinned map. Throws `NOT_FOUND`, or `MISMATCH` if kind, sizes or number of entries differ from the spec. */
  openMap<M>(spec: MapSpec<M>, path: string): M
  /** Loads a program. Throws `VERIFIER` with the verifier's output, `NOT_SUPPORTED` for an unknown helper. */
  load(source: {
    /** Name: at most 15 characters of `A-Z a-z 0-9 _ .`. */
    readonly name: string
    /**
     * Instructions of eight bytes each, little-endian. An instruction that refers to a map holds the map's descriptor.
     */
    readonly instructions: Uint8Array
    /** License, which decides about allowed helpers: `GPL`, `Dual MIT/GPL`, `Apache-2.0` … */
    readonly license: string
  }): Program
  /**
   * Opens a pinned program of any process. Throws `NOT_FOUND`, or `MISMATCH` if it is not a program for traffic on
   * links.
   */
  openProgram(path: string): Program
  /** Opens a folder of pins. Throws `NO_BPFFS`, `NOT_FOUND` without `create`, `MISMATCH` for another version. */
  pins(
    folder: string,
    options: {
      /** Version of the pinned objects, counted by the caller. A folder of another version is refused. */
      readonly version: number
      /** Makes a missing folder and missing maps. Default: false, for a reader of another program's pins. */
      readonly create?: boolean | undefined
    },
  ): Pins
  /** Removes all pins of a folder of any version, and the folder, if it exists. */
  removePins(folder: string): void
  /** Helpers that programs may call on this kernel. Throws `EPERM` if the test is not possible. */
  features(): {
    /** `bpf_skc_lookup_tcp` (Linux 5.2): finds sockets also during the handshake. */
    readonly skcLookup: boolean
    /** `bpf_sk_assign` (Linux 5.7): sets the socket that receives the packet. */
    readonly skAssign: boolean
  }
  /** True if a path is on a bpf file system. */
  isOnBpffs(path: string): boolean
  /** Mounts a bpf file system, unless the folder is on one. Default: `/sys/fs/bpf`. */
  mountBpffs(folder?: string): { mounted: boolean }
}
