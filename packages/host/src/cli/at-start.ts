import { startupSnapshot } from 'node:v8'

/**
 * Runs `main` when the program starts.
 *
 * The tool `cni-build` can build an executable that starts from a heap snapshot. The build evaluates the program's
 * modules once, runs `warmUp`, and stores the heap. The executable restores the heap at each start, and then runs
 * `main`.
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
