import type { Answer, Question } from '../model/answer.ts'
import { type Example, examples, folderExample, rulesExample, settingsOf } from '../model/examples.ts'
import { linkOf, type Shared, sharedInLink, sharedInText, sharedText } from '../model/link.ts'
import { defaultSettings, type Settings, settingsSchema } from '../model/settings.ts'
import { Asker } from './ask.ts'
import { showDecision, showProblem } from './decision-view.ts'
import { byId, h, show } from './dom.ts'
import { showFolder } from './folder-view.ts'
import { showListings } from './listings-view.ts'
import { packetForm } from './packet-form-view.ts'
import { podTextOf } from './shared-text.ts'
import { startTabs } from './tabs.ts'
import { showTypical } from './typical-view.ts'
import { showWalk } from './walk-view.ts'

/** Starts the playground page: sends input from the forms to the worker, and shows the answers. */
export function startPage(script: string): void {
  const tabs = startTabs(byId('tabs', HTMLElement), (panel) => {
    if (panel === 'panel-rules') askRules()
    if (panel === 'panel-folder') askFolder()
  })
  const askRules = startRules(script)
  const askFolder = startFolder(script)
  startPod(script, () => tabs.select('panel-pod'))
}

// internal

const slow = 'This takes longer than two seconds. The page goes on for a while; paste less to be answered at once.'
const late = 'The answer took longer than twenty seconds and was given up: paste less.'

/** Returns a function that calls `run` once after the user has stopped typing. */
function soon(run: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(() => void run(), 120)
  }
}

/** Sends input to the worker. Marks `part` of the page as busy until the newest answer arrives. */
async function ask(
  asker: Asker,
  question: Question,
  part: HTMLElement,
  isLate: () => void,
): Promise<Answer | 'late' | undefined> {
  part.setAttribute('aria-busy', 'true')
  const found = await asker.ask(question, isLate)
  if (found !== undefined) part.setAttribute('aria-busy', 'false')
  return found
}

function startPod(script: string, open: () => void): void {
  const asker = new Asker(script)
  const form = byId('pod-form', HTMLFormElement)
  const text = byId('pod-text', HTMLTextAreaElement)
  const example = byId('example', HTMLSelectElement)
  const decision = byId('decision', HTMLElement)
  const cards = ['walk', 'typical', 'listings'].map((id) => byId(id, HTMLElement))
  const status = byId('link-status', HTMLElement)
  const panel = byId('panel-pod', HTMLElement)
  let settings: Settings = defaultSettings
  let shared: Shared | undefined
  let listing: string | undefined
  let answers = 0

  const run = async () => {
    const found = await ask(asker, { about: 'pod', text: text.value, settings }, panel, () =>
      showProblem(decision, slow),
    )
    if (found === undefined) return
    const [walk, typical, listings] = cards
    const answer = found === 'late' ? { kind: 'problem' as const, problem: late } : found.answer
    shared = found !== 'late' && found.about === 'pod' ? found.shared : undefined
    if (answer.kind === 'problem') {
      showProblem(decision, answer.problem)
      for (const card of cards) show(card)
      return
    }
    if (!('typical' in answer) || walk === undefined || typical === undefined || listings === undefined) return
    showDecision(decision, answer)
    answers += 1
    panel.dataset.answers = String(answers)
    showWalk(walk, answer.walk)
    showTypical(typical, answer, (packet) => {
      settings = { ...settings, packet }
      fillPacket(packet)
      void run()
      byId('packet-card', HTMLElement).scrollIntoView({ block: 'start' })
    })
    showListings(listings, answer, listing ?? (settings.backend === 'nftables' ? 'nft' : 'save-ipv4'), (id) => {
      listing = id
    })
  }
  const runSoon = soon(run)
  const fillPacket = packetForm(byId('packet-form', HTMLElement), 'packet', (packet) => {
    settings = { ...settings, packet }
    runSoon()
  })
  const use = (next: Settings, podText: string) => {
    settings = next
    text.value = podText
    fillForm(form, next)
    fillPacket(next.packet)
    listing = undefined
    void run()
  }

  example.append(
    ...examples.map(({ id, title }) => h('option', { value: id }, title)),
    h('option', { value: '' }, 'what is below'),
  )
  example.addEventListener('change', () => {
    const found = examples.find(({ id }) => id === example.value)
    if (found !== undefined) use(settingsOf(found), found.text)
  })
  text.addEventListener('input', () => {
    example.value = ''
    runSoon()
  })
  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('change', ({ target }) => {
    if (target === example || target === text) return
    const parsed = settingsSchema.safeParse({ ...settings, ...Object.fromEntries(new FormData(form)) })
    if (!parsed.success) return
    if (parsed.data.backend !== settings.backend) listing = undefined
    settings = parsed.data
    void run()
  })
  startSharing(
    () => shared,
    status,
    (given) => {
      example.value = ''
      use(given.settings, podTextOf(given))
      open()
    },
  )

  const begin = (chosen: Example | undefined) => {
    const first = chosen ?? examples[0]
    if (first === undefined) return
    example.value = first.id
    use(settingsOf(first), first.text)
  }
  const readAddress = async () => {
    const fragment = location.hash.slice(1)
    const named = /^example=([\w-]+)$/.exec(fragment)?.[1]
    if (named !== undefined || fragment === '') {
      begin(examples.find(({ id }) => id === named))
      if (named !== undefined) open()
      return
    }
    try {
      const given = await sharedInLink(fragment)
      example.value = ''
      use(given.settings, podTextOf(given))
    } catch (error) {
      begin(undefined)
      show(status, error instanceof Error ? error.message : String(error))
    }
  }
  addEventListener('hashchange', () => void readAddress())
  void readAddress()
}

function fillForm(form: HTMLFormElement, settings: Settings): void {
  for (const [name, value] of Object.entries(settings)) {
    const field = form.elements.namedItem(name)
    if (field instanceof RadioNodeList || field instanceof HTMLSelectElement) field.value = value
  }
}

function startSharing(shared: () => Shared | undefined, status: HTMLElement, use: (shared: Shared) => void): void {
  const nothing = 'There is nothing to share until the pod can be read.'
  byId('copy-link', HTMLElement).addEventListener('click', async () => {
    const given = shared()
    const fragment = given && (await linkOf(given))
    if (fragment === undefined) {
      show(status, given === undefined ? nothing : 'The link would be longer than 8 kB: save a file instead.')
      return
    }
    history.replaceState(null, '', `#${fragment}`)
    try {
      await navigator.clipboard.writeText(location.href)
      show(status, 'The link is in the clipboard and in the address of this page.')
    } catch {
      show(status, 'The link is in the address of this page.')
    }
  })
  byId('save-file', HTMLElement).addEventListener('click', () => {
    const given = shared()
    if (given === undefined) {
      show(status, nothing)
      return
    }
    const href = URL.createObjectURL(new Blob([sharedText(given)], { type: 'application/json' }))
    h('a', { href, download: 'playground.json' }).click()
    setTimeout(() => URL.revokeObjectURL(href), 10_000)
    show(status, 'The file is saved.')
  })
  const file = byId('open-file', HTMLInputElement)
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? []
    if (chosen === undefined) return
    try {
      if (chosen.size > 1024 * 1024) throw new Error('the file is larger than one megabyte')
      use(sharedInText(await chosen.text()))
      show(status, `${chosen.name} is open.`)
    } catch (error) {
      show(status, error instanceof Error ? error.message : String(error))
    }
    file.value = ''
  })
}

function startRules(script: string): () => void {
  const asker = new Asker(script)
  const text = byId('rules-text', HTMLTextAreaElement)
  const walk = byId('own-walk', HTMLElement)
  let packet = defaultSettings.packet
  let isAsked = false
  const run = async () => {
    isAsked = true
    const found = await ask(asker, { about: 'rules', text: text.value, packet }, walk, () =>
      showWalk(walk, { problem: slow }),
    )
    if (found === undefined) return
    if (found === 'late') showWalk(walk, { problem: late })
    else if (found.about === 'rules') {
      const { answer } = found
      if (answer.kind === 'problem') showWalk(walk, answer)
      else showWalk(walk, answer.walk, `${answer.rules} rules of ${answer.program} were read.`)
    }
  }
  const runSoon = soon(run)
  text.value = rulesExample
  text.addEventListener('input', runSoon)
  byId('rules-form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())
  packetForm(byId('own-packet-form', HTMLElement), 'own', (given) => {
    packet = given
    runSoon()
  })(packet)
  return () => {
    if (!isAsked) void run()
  }
}

function startFolder(script: string): () => void {
  const asker = new Asker(script)
  const text = byId('folder-text', HTMLTextAreaElement)
  const part = byId('folder-answer', HTMLElement)
  let isAsked = false
  const run = async () => {
    isAsked = true
    const found = await ask(asker, { about: 'folder', text: text.value }, part, () =>
      showFolder(part, { kind: 'problem', problem: slow }),
    )
    if (found === 'late') showFolder(part, { kind: 'problem', problem: late })
    else if (found?.about === 'folder') showFolder(part, found.answer)
  }
  text.value = folderExample
  text.addEventListener('input', soon(run))
  byId('folder-form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())
  return () => {
    if (!isAsked) void run()
  }
}
