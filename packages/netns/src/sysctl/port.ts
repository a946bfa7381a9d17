/**
 * The settings of one namespace: what code that changes them takes, so that its tests can give it `fakeSysctl()`.
 * Names as `net.ipv4.conf.eth0.rp_filter` or with slashes; only those of the network are here.
 *
 * Errors are `NetnsError`: `INVALID` for what is no such name or value, `ENOENT` for a setting that this kernel, or this
 * namespace, does not have, `EACCES` for one that cannot be written, `EINVAL` for a value that the kernel refuses, or
 * another errno name. Nothing is changed then.
 */
export interface SysctlPort {
  /** The value without its line break; `undefined` when there is no such setting. */
  get(name: string): Promise<string | undefined>
  /** Sets it unless it is so already; `true` is `1`, `false` is `0`. `previous` is missing for what can only be written. */
  set(
    name: string,
    value: string | number | boolean,
  ): Promise<{ readonly changed: boolean; readonly previous?: string }>
}
