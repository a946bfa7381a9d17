import { startupSnapshot } from 'node:v8'

/**
 * Runs `main` when the program starts.
 *
 * An executable that `cni-build` made may start from a heap snapshot. The build runs `warmUp` before storing the heap.
 *
 * @example
 * ```ts
 * import { atStart } from '@cni/host/cli'
 *
 * atStart(() => {
 *   process.stdout.write(`${process.argv.slice(2).join(' ')}\n`)
 * })
 * ```
 */
export function atStart(main: () => void, warmUp?: () => void | Promise<void>): void {
  // Bun has no startup snapshots (`v8.startupSnapshot`), so `main` runs at once.
  if (startupSnapshot?.isBuildingSnapshot() !== true) {
    main()
    return
  }
  if (warmUp !== undefined) startupSnapshot.addSerializeCallback(warmUp)
  startupSnapshot.setDeserializeMainFunction(main)
}
