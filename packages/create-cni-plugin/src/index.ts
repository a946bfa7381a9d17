/**
 * Files of a project that `npm create cni-plugin` creates, as data: the text of each file by its path.
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
