import type { Plugin } from '../plugin.ts'

/** What can be said about a plugin to people; `@cni/skel/describe` has one. */
export interface Describer {
  /** The text of `--help`. */
  help(plugin: Plugin): string | Promise<string>
  /** The text of `--schema`. */
  schema(plugin: Plugin): string | Promise<string>
}
