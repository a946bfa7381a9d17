import type { JsonObject } from '@cni/types'
import type { CheckResult } from '../model.ts'

/** Options of a run of the conformance suite. */
export interface ConformanceOptions {
  /** Path of the executable of the tested plugin. */
  readonly plugin: string
  /**
   * Configuration of the tested plugin, as a path or an object. A network configuration list that contains the plugin
   * is allowed. Default: a minimal configuration.
   */
  readonly conf?: string | JsonObject | undefined
  /**
   * `cniVersion` of the configurations that the plugin gets. Default: the version of the given configuration, else the
   * plugin's newest version.
   */
  readonly cniVersion?: string | undefined
  /** True for a chained plugin: pods have an interface, and ADD gets a prevResult. Default: false. */
  readonly chained?: boolean | undefined
  /** Checks to run, by id or group. Default: all checks. */
  readonly only?: readonly string[] | undefined
  /** Checks to leave out, by id or group. Default: none. */
  readonly skip?: readonly string[] | undefined
  /**
   * Folders of the plugins that the tested plugin calls, joined by `:`. Default: the tested plugin's own folder,
   * /opt/cni/bin and /usr/lib/cni.
   */
  readonly cniPath?: string | undefined
  /** Value of CNI_ARGS in every call of the plugin. */
  readonly args?: string | undefined
  /**
   * Files in the machine's /run and /var/lib/cni that the plugin needs. An example is the socket of a daemon. The suite
   * hides all other content of these folders from the plugin.
   */
  readonly share?: readonly string[] | undefined
  /** Time limit of one plugin call in milliseconds. Default: 10000. */
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before each check of the suite. */
  readonly onCheck?:
    | ((check: Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'>, index: number, total: number) => void)
    | undefined
}
