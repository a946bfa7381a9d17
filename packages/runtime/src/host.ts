/** Memory that a system call reads or writes: a buffer of the JavaScript program. */
export type Memory = ArrayBufferView | ArrayBuffer

/** Argument of a system call. A string is passed as the address of a NUL-terminated copy. */
export type Argument = number | bigint | boolean | string | Memory | null | undefined

/** Functions of the native program (C). TypeScript code implements Node's members with these functions. */
export interface Host {
  syscall(nr: number, ...args: readonly Argument[]): number
  address(view: Memory): number
  encode(text: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, view: Uint8Array): { read: number; written: number }
  decode(view: Uint8Array, start?: number, end?: number, fatal?: boolean): string
  /** Decodes base64 and base64url. Skips invalid characters and stops at the first `=`, as Node's Buffer does. */
  fromBase64(text: string): Uint8Array<ArrayBuffer>
  toBase64(bytes: Uint8Array, isUrl: boolean): string
  find(haystack: Uint8Array, needle: Uint8Array, from: number): number
  args(): string[]
  env(): Record<string, string>
  now(): number
  spawn(
    file: string,
    argv: readonly string[],
    env: readonly string[],
    fds: readonly number[],
    cwd: string | undefined,
  ): number
  /** Forks a process that speaks TLS. Only the native program `cni-runtime-tls` has this function. */
  readonly tls?: (
    network: number,
    plain: number,
    ca: string | undefined,
    cert: string | undefined,
    key: string | undefined,
    name: string | undefined,
    address: Uint8Array | undefined,
    insecure: boolean,
  ) => number
  onReject(callback: (promise: object, reason: unknown, handled: boolean) => void): void
  setDeadline(ms: number, signalFd: number): void
  snapshotting(): boolean
  readonly arch: 'x64' | 'arm64'
  readonly versions: { readonly runtime: string; readonly quickjs: string }

  /** Functions that the TypeScript code sets and the native program calls. */
  boot?: () => void
  main?: (() => void) | undefined
  loop?: (hasJobs?: boolean) => boolean
  warm?: () => Promise<void>
  crash?: (error: unknown, interrupted?: boolean) => void
}

declare global {
  // Uses `var`, because only `var` declares a member of globalThis in TypeScript.
  var __host: Host | undefined
}

function take(): Host {
  const given = globalThis.__host
  if (given === undefined) throw new Error('this module runs only on the small runtime: __host is not defined')
  Reflect.deleteProperty(globalThis, '__host')
  return given
}

export const host: Host = take()

/** True while the build makes the startup snapshot, the heap image from which processes start. */
export const snapshotting = (): boolean => host.snapshotting()

/** Throws if the program uses `what`, such as `Date.now()`, during its build. */
export function refuseAtSnapshot(what: string): void {
  if (snapshotting()) {
    throw new Error(`${what} was used while the program was built: read it in a function that runs at each start`)
  }
}
