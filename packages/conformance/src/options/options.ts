import type { JsonObject } from '@cni/types'
import type { CheckResult } from '../model.ts'

/** What to check, and how. */
export interface ConformanceOptions {
  /** Path of the executable. */
  readonly plugin: string
  /** A file, or its content: a plugin's configuration, or a list that has one for it. Default: a minimal one. */
  readonly conf?: string | JsonObject | undefined
  /** The version of configurations. Default: the configuration's `cniVersion`, else the newest that the plugin claims. */
  readonly cniVersion?: string | undefined
  /** The plugin comes after others: its pods have an interface, and ADD gets a prevResult. Default: false. */
  readonly chained?: boolean | undefined
  /** Ids or groups of checks. Default: all. */
  readonly only?: readonly string[] | undefined
  /** Ids or groups of checks. */
  readonly skip?: readonly string[] | undefined
  /** Folders, joined by `:`, for plugins it calls. Default: its own, /opt/cni/bin and /usr/lib/cni. */
  readonly cniPath?: string | undefined
  /** CNI_ARGS of every call. */
  readonly args?: string | undefined
  /** Files and folders below /run and /var/lib/cni that the plugin sees as they are, such as its daemon's socket. */
  readonly share?: readonly string[] | undefined
  /** Milliseconds an execution may take. Default: 10000. */
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before each check. */
  readonly onCheck?:
    | ((check: Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'>, index: number, total: number) => void)
    | undefined
}
