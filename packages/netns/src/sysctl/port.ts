/**
 * Kernel settings (sysctl) of one namespace. Code that changes settings takes this port as a parameter, so that tests
 * can pass `fakeSysctl()`. Names are `net.ipv4.conf.eth0.rp_filter` or the same with slashes; only network settings are
 * supported.
 *
 * Errors are `NetnsError`; a failed call changes nothing:
 * - `INVALID`: invalid name or value
 * - `ENOENT`: this kernel or this namespace lacks the setting
 * - `EACCES`: the setting cannot be written
 * - `EINVAL`: the kernel refuses the value
 * - another errno name
 */
export interface SysctlPort {
  /** Reads a setting. Returns the value without its line break. `undefined` if the setting does not exist. */
  get(name: string): Promise<string | undefined>
  /**
   * Writes a setting if its value differs. `true` is written as `1`, `false` as `0`. `previous` is missing for a
   * write-only setting.
   */
  set(
    name: string,
    value: string | number | boolean,
  ): Promise<{ readonly changed: boolean; readonly previous?: string }>
}
