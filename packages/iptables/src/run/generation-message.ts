import { decodeAttributes, type Message, type Request, readBe32 } from '@cni/netns/netlink'

/** Asks for the generation. */
export const generationRequest: Request = {
  type: (10 << 8) | 16,
  fixed: new Uint8Array(4),
  what: 'Ask for the generation of nftables rules',
}

/** The generation an `NFT_MSG_NEWGEN` tells; `undefined` when the message is another one. */
export const generationIn = (message: Message): number | undefined => attribute(message, NFTA_GEN_ID)

/** The process that made the transaction an `NFT_MSG_NEWGEN` announces; `undefined` when the message is another one. */
export const committedBy = (message: Message): number | undefined => attribute(message, NFTA_GEN_PROC_PID)

// internal

const NFT_MSG_NEWGEN = (10 << 8) | 15
const NFGENMSG = 4
const NFTA_GEN_ID = 1
const NFTA_GEN_PROC_PID = 2

function attribute({ type, body }: Message, wanted: number): number | undefined {
  if (type !== NFT_MSG_NEWGEN) return undefined
  const found = decodeAttributes(body, NFGENMSG).find(([each]) => each === wanted)
  return readBe32(found?.[1])
}
