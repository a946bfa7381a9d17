import { spawnSync } from 'node:child_process'

const { error, stdout } = spawnSync('nft', ['--version'], { encoding: 'utf8' })

/** Whether the program is here that our bytes are compared with. */
export const hasNft: boolean = error === undefined && stdout.includes('v1.0.6')

/** Why not, for the titles of tests that are skipped. */
export const noNft: string = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'
