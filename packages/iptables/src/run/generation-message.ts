/** The generation an `NFT_MSG_NEWGEN` tells; `undefined` when the message is another one. */
export const generationIn = (message: Buffer): number | undefined => attribute(message, NFTA_GEN_ID)

/** The process that made the transaction an `NFT_MSG_NEWGEN` announces; `undefined` when the message is another one. */
export const committedBy = (message: Buffer): number | undefined => attribute(message, NFTA_GEN_PROC_PID)

/** Behind `nlmsghdr` and `nfgenmsg`. */
export const attributesAt = 20

// internal

const NFT_MSG_NEWGEN = (10 << 8) | 15
const NFTA_GEN_ID = 1
const NFTA_GEN_PROC_PID = 2

function attribute(message: Buffer, type: number): number | undefined {
  if (message.length < attributesAt || message.readUInt16LE(4) !== NFT_MSG_NEWGEN) return undefined
  for (let at = attributesAt; at + 4 <= message.length; ) {
    const size = message.readUInt16LE(at)
    if (size < 4) return undefined
    if (message.readUInt16LE(at + 2) === type && size === 8 && at + 8 <= message.length) {
      return message.readUInt32BE(at + 4)
    }
    at += (size + 3) & ~3
  }
  return undefined
}
