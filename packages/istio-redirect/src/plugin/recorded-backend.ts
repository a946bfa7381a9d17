import type { Attachment } from '../state/attachment.ts'

/**
 * The back end to say when the node's `iptables` may have come to mean another one since: an nft that holds our rules
 * leaves no trace by which it would be found. A legacy one is found by its tables.
 */
export const recordedBackend = ({ backend }: Attachment): 'nft' | undefined => (backend === 'nft' ? 'nft' : undefined)
