import { startupSnapshot } from 'node:v8'

/**
 * Runs `main` when the process starts. The tool `cni-build` evaluates the modules of a program once, and stores their
 * heap in the executable. In such an executable, `main` runs at each start. The function `warmUp` runs once, before
 * `cni-build` stores the heap.
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
