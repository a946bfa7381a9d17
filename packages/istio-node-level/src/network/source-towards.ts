import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { type NetnsTarget, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { parseAddress } from '@cni/types/ip'

/** Asks the kernel which source address packets from a namespace to an IPv4 address get. Sends no packet. */
export async function sourceTowards(target: NetnsTarget, address: string): Promise<string> {
  const fd = netns.run(target, () => {
    const sys = loadSys()
    const made = sys.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
    try {
      sys.connect(made, endpoint(address))
      return made
    } catch (error) {
      closeSync(made)
      throw error
    }
  })
  const socket = createSocket('udp4')
  try {
    // Turns the connected descriptor into a Node.js socket, to read the descriptor's local address.
    const ready = once(socket, 'listening')
    socket.bind({ fd })
    await ready
    return socket.address().address
  } finally {
    socket.close()
  }
}

// internal

const [AF_INET, SOCK_DGRAM, SOCK_CLOEXEC, SOCK_NONBLOCK] = [2, 2, 0x80000, 0x800]

/** Encodes a `struct sockaddr_in` with the IPv4 address and port 80. */
function endpoint(address: string): Uint8Array {
  const whole = Buffer.alloc(16)
  whole.writeUInt16LE(AF_INET, 0)
  whole.writeUInt16BE(80, 2)
  whole.set(parseAddress(address) ?? [], 4)
  return whole
}
