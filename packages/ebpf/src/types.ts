/** What a map is made with, the same for who makes it and who opens it; `M` is the open map. */
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

/** What every open map has. Closed, the map stays where it is pinned or used. */
export interface OpenMap extends Disposable {
  readonly name: string
  /** For the instructions that refer to the map. Throws `EbpfError('CLOSED')`. */
  readonly fd: number
  /** The kernel's number of it. */
  readonly id: number
  /** Keeps it beyond this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`, `NO_BPFFS`, `EPERM` … */
  pin(path: string): void
  /** A second call does nothing. */
  close(): void
}

/** An open program for the traffic of links (`BPF_PROG_TYPE_SCHED_CLS`). Closed, it stays where it is pinned or attached. */
export interface Program extends Disposable {
  readonly name: string
  /** Throws `EbpfError('CLOSED')`. */
  readonly fd: number
  /** The kernel's number of it: another one for every loading. */
  readonly id: number
  /** Of its instructions, 16 hexadecimal digits: the same for every loading on one kernel. */
  readonly tag: string
  /** Keeps it beyond this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`, `NO_BPFFS`, `EPERM` … */
  pin(path: string): void
  /** Runs it on a packet that is nowhere (`BPF_PROG_TEST_RUN`). Throws an `EbpfError`. */
  testRun(input: {
    /** The packet with its Ethernet header, at least 14 bytes. */
    readonly packet: Uint8Array
    /** Default: 0. */
    readonly mark?: number | undefined
    /** Five numbers of 32 bits at most. Default: zeros. */
    readonly cb?: readonly number[] | undefined
    /** Number of runs. Default: 1. */
    readonly repeat?: number | undefined
  }): {
    /** Return value of the program, signed. */
    readonly returned: number
    /** The return value as a word: what becomes of the packet. `unspec` lets the next filter decide. */
    readonly action: 'unspec' | 'ok' | 'reclassify' | 'shot' | 'pipe' | 'stolen' | 'redirect' | 'other'
    readonly packet: Uint8Array
    readonly mark: number
    readonly cb: readonly number[]
    /** Mean time of one run. */
    readonly nanoseconds: number
  }
  /** A second call does nothing. */
  close(): void
}

/** Pins that belong together, of one version, in a folder of a bpf file system. */
export interface Pins {
  readonly path: string
  /** The path of a pin. Throws `EbpfError('INVALID')`. */
  pathOf(name: string): string
  /** Opens the map that is pinned under its name; with `create` makes and pins it where it is not there. */
  map<M>(spec: MapSpec<M>): M
  /** Opens the program that is pinned under a name. Throws `EbpfError`: `NOT_FOUND` … */
  program(name: string): Program
  /** Pins a program, in the place of another one between two look-ups. */
  putProgram(name: string, program: Pick<Program, 'pin'>): void
  /** False when it is not there. */
  unpin(name: string): boolean
  /** What is pinned, in order. */
  list(): string[]
  /** Unpins everything, and removes the folder. What is attached or open stays. */
  remove(): void
}

/** The kernel's eBPF. Every call is synchronous, and throws an `EbpfError`. */
export interface Ebpf {
  /** One that nobody sees until it is pinned, or used by a program. */
  createMap<M>(spec: MapSpec<M>): M
  /** Throws `NOT_FOUND`, `MISMATCH` when its kind, sizes or number of entries are not the spec's. */
  openMap<M>(spec: MapSpec<M>, path: string): M
  /** Throws `VERIFIER` with what the verifier said, `NOT_SUPPORTED` for a helper that the kernel does not have. */
  load(source: {
    /** Name: at most 15 characters of `A-Z a-z 0-9 _ .`. */
    readonly name: string
    /** Eight bytes each, little-endian; an instruction that refers to a map holds the map's descriptor. */
    readonly instructions: Uint8Array
    /** Decides which helpers the kernel allows: `GPL`, `Dual MIT/GPL`, `Apache-2.0` … */
    readonly license: string
  }): Program
  /** A pinned program, whoever loaded it. Throws `NOT_FOUND`, `MISMATCH` when it is not for the traffic of links. */
  openProgram(path: string): Program
  /** Throws `NO_BPFFS`, `NOT_FOUND` without `create`, `MISMATCH` for another version. */
  pins(
    folder: string,
    options: {
      /** Version of the pinned objects, counted by the caller. A folder of another version is refused. */
      readonly version: number
      /** Makes the folder, and maps that are missing. Default: false, for a reader of another program's pins. */
      readonly create?: boolean | undefined
    },
  ): Pins
  /** Unpins everything in a folder, of whatever version; nothing where there is none. */
  removePins(folder: string): void
  /** What programs may call on this kernel. Throws `EPERM` where nothing can be found out. */
  features(): {
    /** `bpf_skc_lookup_tcp` (5.2): finds sockets during the handshake, too. */
    readonly skcLookup: boolean
    /** `bpf_sk_assign` (5.7): sets the socket that receives the packet. */
    readonly skAssign: boolean
  }
  /** Is it on a bpf file system? */
  isOnBpffs(path: string): boolean
  /** Mounts a bpf file system, unless the folder is one. Default: `/sys/fs/bpf`. */
  mountBpffs(folder?: string): { mounted: boolean }
}
