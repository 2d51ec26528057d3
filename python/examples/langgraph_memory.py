"""LangGraph: memory around the node that calls the model, and Holdfast as the graph's store. The model is scripted: no network."""

import tempfile

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from holdfast import Holdfast
from holdfast.langgraph import HoldfastMemory, HoldfastStore


def call_model(state: MessagesState) -> dict:
    """Yours would call a model. This one shows what it was given before the user's turn."""
    *_, block, _question = ["", *(message.text for message in state["messages"])]
    return {"messages": [AIMessage("As PDF, then." if "PDF" in block else "Noted.")]}


with tempfile.TemporaryDirectory() as directory, Holdfast.local(directory, user="lin") as client:
    store = HoldfastStore(client)
    graph = StateGraph(MessagesState)
    graph.add_node("model", HoldfastMemory(client).around(call_model))
    graph.add_edge(START, "model")
    app = graph.compile(checkpointer=InMemorySaver(), store=store)

    for thread, said in [("monday", "From now on, send every report as PDF."), ("friday", "Write this week's report.")]:
        state = app.invoke({"messages": [HumanMessage(said)]}, {"configurable": {"thread_id": thread}})
        print(f"{thread}: {state['messages'][-1].text}")

    store.put(("profile", "lin"), "city", {"text": "住在余杭"})
    print(store.get(("profile", "lin"), "city").value, [item.key for item in store.search(("profile",), query="余杭")])
    store.delete(("profile", "lin"), "city")
    print(store.get(("profile", "lin"), "city"))
