import { closeSync } from 'node:fs'
import type { NetnsTarget } from '@cni/netns'
import { constants, type Sys, SysError, tryLoadSys } from '@cni/netns/sys'
import { committedBy } from './generation-message.ts'
import { netlinkAddress, openNetfilter } from './netfilter-socket.ts'

/** Hears of every transaction of the nft back end in a namespace, and of the process that made it. */
export interface CommitWatch extends Disposable {
  /** To be inherited by the program: the last one to close the socket waits for the kernel's clean-up. */
  readonly fd: number
  /** Resolves after this many transactions of the process; never when it makes fewer. */
  committed(pid: number, count: number): Promise<void>
}

/** `undefined` where the kernel does not tell: without FFI, or without the privilege. */
export function watchCommits(target: NetnsTarget): CommitWatch | undefined {
  const sys = tryLoadSys()
  if (sys === undefined) return undefined
  let fd: number
  try {
    fd = subscribe(sys, target)
  } catch (error) {
    if (error instanceof SysError) return undefined
    throw error
  }
  let open = true
  return {
    fd,
    async committed(pid, count) {
      let seen = 0
      while (open) {
        for (const by of received(sys, fd)) if (by === pid) seen++
        if (seen >= count) return
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return new Promise(() => {})
    },
    [Symbol.dispose]() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

// internal

const NFNLGRP_NFTABLES = 7

function subscribe(sys: Sys, target: NetnsTarget): number {
  const fd = openNetfilter(sys, target)
  try {
    sys.bind(fd, netlinkAddress(1 << (NFNLGRP_NFTABLES - 1)))
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** What has come so far; more than fits in the socket's buffer counts as nothing: then the program's end is waited for. */
function* received(sys: Sys, fd: number): Generator<number | undefined> {
  const buffer = Buffer.alloc(65_536)
  for (;;) {
    let length: number
    try {
      length = sys.recv(fd, buffer, constants.MSG_DONTWAIT)
    } catch (error) {
      if (error instanceof SysError && ['EAGAIN', 'ENOBUFS', 'EINTR'].includes(error.code)) return
      throw error
    }
    for (let at = 0; at + 16 <= length; ) {
      const size = buffer.readUInt32LE(at)
      if (size < 16) break
      yield committedBy(buffer.subarray(at, at + size))
      at += (size + 3) & ~3
    }
  }
}
