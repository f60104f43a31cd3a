package dev.rota.crash.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * A network between clients and a PostgreSQL server on this machine that fails by order: cuts
 * connections, also at an exact point of their conversation, loses, holds up or delays what they
 * carry. Its address stays the same while the server behind it goes away and comes back elsewhere.
 * It counts what it did, so that a test can tell that a fault has really happened. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

  private static final int BACKLOG = 200;

  private final ServerSocket door;
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private final Map<CutPoint, Predicate<String>> cutters = new ConcurrentHashMap<>();
  private final Map<Direction, ProxyFlow> flows = new ConcurrentHashMap<>();
  private final Map<CutPoint, AtomicLong> cuts = new ConcurrentHashMap<>();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong swallowed = new AtomicLong();
  private final AtomicLong delays = new AtomicLong();
  private final AtomicLong holds = new AtomicLong();
  private final AtomicLong brokenBegins = new AtomicLong();
  private volatile IntPredicate beginBreaker = process -> false;
  private volatile int target;

  private FaultProxy(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    for (Direction direction : Direction.values()) {
      flows.put(direction, ProxyFlow.pass());
    }
    inBackground("fault-proxy-door", this::acceptAll);
  }

  /** One before the server on that port of this machine. */
  public static FaultProxy to(int port) throws IOException {
    return new FaultProxy(port);
  }

  /** The port that clients connect to. */
  public int port() {
    return door.getLocalPort();
  }

  /** That URL of the server, but through this proxy. */
  public String through(String jdbcUrl) {
    return jdbcUrl.replaceFirst(":\\d+/", ":" + port() + "/");
  }

  /** From now on new connections go to that port. */
  public void pointTo(int port) {
    target = port;
  }

  /** Cuts the next connection that comes to that point. */
  public void cutNext(CutPoint point) {
    cutNext(point, "");
  }

  /** Cuts the next one that comes to that point of a transaction with that text in a statement. */
  public void cutNext(CutPoint point, String text) {
    AtomicBoolean done = new AtomicBoolean();
    cutWhen(point, said -> said.contains(text) && done.compareAndSet(false, true));
  }

  /**
   * Asks at each such point whether to cut the connection, in place of what was told before; asked
   * by several threads. What it is given are the statements of the transaction, as the client sent
   * them, one a line; of a statement that was prepared with PREPARE there is the EXECUTE.
   */
  public void cutWhen(CutPoint point, Predicate<String> chooser) {
    cutters.put(point, chooser);
  }

  /** Does not cut at that point any more. */
  public void cutNever(CutPoint point) {
    cutters.remove(point);
  }

  /**
   * Asks at each BEGIN whether it shall fail, as if a cancel had hit it; asked by several threads,
   * with the number of the server process.
   */
  public void breakBegins(IntPredicate chooser) {
    beginBreaker = chooser;
  }

  /** The next BEGIN that this server process gets fails. */
  public void breakNextBeginOf(int process) {
    AtomicBoolean done = new AtomicBoolean();
    breakBegins(each -> each == process && done.compareAndSet(false, true));
  }

  /** How many times a BEGIN failed by order. */
  public long brokenBegins() {
    return brokenBegins.get();
  }

  /** Cuts every connection now, and tells how many were open. */
  public int cutAll() {
    int cut = 0;
    for (ProxiedConnection connection : connections) {
      cut += connection.cutIfOpen() ? 1 : 0;
    }
    return cut;
  }

  /** What becomes of all that goes this way, on connections that are open and on new ones. */
  public void setFlow(Direction direction, ProxyFlow flow) {
    flows.put(direction, flow);
    connections.forEach(connection -> connection.setFlow(direction, flow));
  }

  /** The same for both directions. */
  public void setFlow(ProxyFlow flow) {
    for (Direction direction : Direction.values()) {
      setFlow(direction, flow);
    }
  }

  /** The connections that are open. */
  public List<ProxiedConnection> connections() {
    return List.copyOf(connections);
  }

  /** How many connections were cut at that point. */
  public long cuts(CutPoint point) {
    AtomicLong count = cuts.get(point);
    return count == null ? 0 : count.get();
  }

  /** How many connections were made, since the proxy is there. */
  public long accepted() {
    return accepted.get();
  }

  /** How many messages were lost. */
  public long swallowed() {
    return swallowed.get();
  }

  /** How many messages were kept back for a while. */
  public long held() {
    return holds.get();
  }

  /** How many times something was delayed. */
  public long delayed() {
    return delays.get();
  }

  /** Lets nobody in any more, and cuts those that are. */
  @Override
  public void close() throws IOException {
    door.close();
    cutAll();
  }

  /** Whether to cut here; counts it if so. */
  boolean cutsAt(CutPoint point, Conversation conversation) {
    Predicate<String> chooser = cutters.get(point);
    if (chooser == null || !chooser.test(conversation.transaction())) {
      return false;
    }
    cuts.computeIfAbsent(point, unused -> new AtomicLong()).incrementAndGet();
    return true;
  }

  /** Whether this BEGIN is to fail; counts it if so. */
  boolean breaksBegin(int process) {
    boolean broken = beginBreaker.test(process);
    if (broken) {
      brokenBegins.incrementAndGet();
    }
    return broken;
  }

  void countSwallowed() {
    swallowed.incrementAndGet();
  }

  void countHeld() {
    holds.incrementAndGet();
  }

  void countDelay() {
    delays.incrementAndGet();
  }

  void forget(ProxiedConnection connection) {
    connections.remove(connection);
  }

  private void acceptAll() {
    try {
      while (true) {
        connect(door.accept());
      }
    } catch (IOException e) {
      // The door was closed: nobody is let in any more.
      cutAll();
    }
  }

  private void connect(Socket client) throws IOException {
    accepted.incrementAndGet();
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      ProxiedConnection connection = new ProxiedConnection(this, client, server);
      // Among the others first: so no change of the flow can pass it by.
      connections.add(connection);
      flows.forEach(connection::setFlow);
      connection.start();
    } catch (IOException e) {
      // Nobody is there: the client sees a closed connection, as it would without a proxy.
      client.close();
    }
  }

  static void inBackground(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
