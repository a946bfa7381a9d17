import { spawnSync } from 'node:child_process'

const { error, stdout } = spawnSync('nft', ['--version'], { encoding: 'utf8' })

/** True if the program nft 1.0.6 is installed. Tests compare our bytes with its bytes. */
export const hasNft: boolean = error === undefined && stdout.includes('v1.0.6')

/** Reason for skipped tests, as an end of their titles. */
export const noNft: string = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'
