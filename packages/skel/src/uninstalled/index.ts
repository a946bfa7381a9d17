/**
 * What an uninstalled plugin leaves on a node while something still needs it: a marker next to its file. For programs that
 * install plugins; `pluginMain` reads the marker by itself.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs'
 * import { findNeeds, markerPath, markerText } from '@cni/skel/uninstalled'
 *
 * const file = '/opt/cni/bin/tag'
 * const folders = {
 *   records: ['/run/cni/tag/attachments'],
 *   results: ['/var/lib/cni/results'],
 *   configurations: ['/etc/cni/net.d'],
 * }
 * for (const { path, reason } of findNeeds('tag', folders)) console.error(`${path}: ${reason}`)
 * writeFileSync(markerPath(file), markerText(file, folders))
 * ```
 *
 * @module
 */

export { isMarked, markerPath } from './marked.ts'
export { fileIdentity, type Marker, markerText, type NeedFolders, readMarker } from './marker.ts'
export { findNeeds, type Need, type OwnAttachment, unseen } from './needs.ts'
