/** Turns buttons with `role="tab"` into tabs with keyboard control, as in the ARIA pattern. */
export function startTabs(list: HTMLElement, chosen: (panel: string) => void = () => undefined) {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')]
  const select = (tab: HTMLElement, withFocus: boolean) => {
    for (const each of tabs) {
      const isChosen = each === tab
      each.setAttribute('aria-selected', String(isChosen))
      each.tabIndex = isChosen ? 0 : -1
      const panel = document.getElementById(each.getAttribute('aria-controls') ?? '')
      if (panel !== null) panel.hidden = !isChosen
    }
    if (withFocus) tab.focus()
    chosen(tab.getAttribute('aria-controls') ?? '')
  }
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => select(tab, false))
    tab.addEventListener('keydown', (event) => {
      const target = targetOf(event.key, at, tabs.length)
      const next = target === undefined ? undefined : tabs[target]
      if (next === undefined) return
      event.preventDefault()
      select(next, true)
    })
  }
  return {
    select(panel: string) {
      const tab = tabs.find((each) => each.getAttribute('aria-controls') === panel)
      if (tab !== undefined) select(tab, false)
    },
  }
}

function targetOf(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % count
  if (key === 'ArrowLeft') return (at + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}
