import type { JsonObject } from '@cni/types'
import type { CheckResult } from '../model.ts'

/** Options of a run. */
export interface ConformanceOptions {
  /** Path of the plugin's executable. */
  readonly plugin: string
  /**
   * Configuration as a path or an object: a plugin's configuration, or a list with an entry for the plugin. Default: a
   * minimal configuration.
   */
  readonly conf?: string | JsonObject | undefined
  /**
   * Version of the configurations. Default: `cniVersion` of the configuration, else the newest version that the plugin
   * claims.
   */
  readonly cniVersion?: string | undefined
  /** True for a chained plugin: pods have an interface, and ADD gets a prevResult. Default: false. */
  readonly chained?: boolean | undefined
  /** Ids or groups of checks to run. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Ids or groups of checks to leave out. */
  readonly skip?: readonly string[] | undefined
  /**
   * Folders of plugins that the plugin calls, joined by `:`. Default: its own folder, /opt/cni/bin and /usr/lib/cni.
   */
  readonly cniPath?: string | undefined
  /** CNI_ARGS of every call. */
  readonly args?: string | undefined
  /** Files and folders in /run and /var/lib/cni that the plugin may access, such as its daemon's socket. */
  readonly share?: readonly string[] | undefined
  /** Time limit of an execution in milliseconds. Default: 10000. */
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before each check. */
  readonly onCheck?:
    | ((check: Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'>, index: number, total: number) => void)
    | undefined
}
