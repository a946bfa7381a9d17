/**
 * Kernel settings (sysctl) of one namespace; only network settings are supported. Take this interface as a parameter,
 * so that tests can pass `fakeSysctl()`. Names have dots (`net.ipv4.conf.eth0.rp_filter`) or slashes.
 *
 * Errors are `NetnsError`; a failed call changes nothing:
 * - `INVALID`: invalid name or value
 * - `ENOENT`: this kernel or this namespace lacks the setting
 * - `EACCES`: the setting cannot be written
 * - `EINVAL`: the kernel refuses the value
 * - another errno name
 */
export interface SysctlPort {
  /** Reads a kernel setting. Returns the value without its line break, or `undefined` if the setting does not exist. */
  get(name: string): Promise<string | undefined>
  /**
   * Writes a kernel setting if its value differs. Writes `true` as `1`, `false` as `0`. `previous` in the result is
   * missing for a write-only setting.
   */
  set(
    name: string,
    value: string | number | boolean,
  ): Promise<{ readonly changed: boolean; readonly previous?: string }>
}
