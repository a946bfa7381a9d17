import { startupSnapshot } from 'node:v8'

/**
 * Runs `main` when the process starts. The tool `cni-build` evaluates the modules of a program once, and stores their
 * heap in the executable. There, `main` runs at each start of the executable. `warmUp` runs once, before the heap is
 * stored.
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
