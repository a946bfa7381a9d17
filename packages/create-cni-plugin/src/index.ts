/**
 * The files of `npm create cni-plugin` as data: each file of a new project by its path.
 *
 * @example
 * ```ts
 * import { projectFiles } from 'create-cni-plugin'
 *
 * const files = projectFiles({ name: 'my-plugin', kind: 'chained', rules: 'nftables', agent: false })
 * export const plugin = files.get('src/plugin.ts')
 * ```
 *
 * @module
 */

export type { ProjectOptions } from './options.ts'
export { projectFiles } from './project.ts'
