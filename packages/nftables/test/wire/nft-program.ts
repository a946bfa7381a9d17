import { spawnSync } from 'node:child_process'

const { error, stdout } = spawnSync('nft', ['--version'], { encoding: 'utf8' })

/** True if the program nft 1.0.6 is installed. Tests compare this package's netlink bytes with the bytes of nft. */
export const hasNft: boolean = error === undefined && stdout.includes('v1.0.6')

/** Suffix for the titles of skipped tests if nft 1.0.6 is not installed. */
export const noNft: string = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'
