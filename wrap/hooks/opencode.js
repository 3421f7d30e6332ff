// Tells fwrap what the agent does, for this session only. It speaks the report
// protocol on the socket that FWRAP_SOCK names, one event after the other, and
// holds the agent up for nothing.
import { connect } from "node:net"

const from = "opencode"
const cut = (s) => (typeof s === "string" ? s.slice(0, 2000) : undefined)

function pick(event) {
  const p = event.properties ?? {}
  const e = { event: event.type, session: cut(p.sessionID ?? p.info?.id) }
  switch (event.type) {
    case "session.created":
      e.parent = cut(p.info?.parentID)
      return e
    case "session.status":
      e.what = cut(p.status?.type)
      return e
    case "session.idle":
    case "session.compacted":
      return e
    case "session.error":
      e.what = cut(p.error?.name)
      e.text = cut(p.error?.data?.message)
      return e
    case "permission.asked":
    case "permission.updated":
      e.call = cut(p.id)
      e.tool = cut(p.permission ?? p.type)
      e.text = cut(p.metadata?.command ?? p.metadata?.filepath ?? p.title ?? p.patterns?.join?.(" "))
      return e
    case "question.asked":
      e.call = cut(p.id)
      e.text = cut(p.questions?.[0]?.question)
      e.options = p.questions?.[0]?.options?.slice?.(0, 32).map((o) => cut(o?.label) ?? "")
      return e
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      e.call = cut(p.requestID ?? p.permissionID ?? p.id)
      e.what = cut(p.reply ?? p.response)
      return e
  }
}

function send(line) {
  return new Promise((done) => {
    let socket
    const end = () => {
      clearTimeout(timer)
      socket?.destroy()
      done()
    }
    const timer = setTimeout(end, 250)
    try {
      socket = connect(process.env.FWRAP_SOCK, () => socket.write(line))
      socket.on("data", end)
      socket.on("error", end)
      socket.on("close", end)
    } catch {
      end()
    }
  })
}

let last = Promise.resolve()
let waiting = 0

export const fwrap = async () => ({
  event: async ({ event }) => {
    if (!process.env.FWRAP_SOCK || waiting > 100) return
    const e = pick(event)
    if (!e) return
    waiting++
    last = last.then(() => send(JSON.stringify({ v: 1, from, event: e }) + "\n")).finally(() => waiting--)
  },
})
