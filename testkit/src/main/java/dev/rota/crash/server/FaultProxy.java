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
 * A network between clients and a PostgreSQL server on this machine that fails on request. It cuts
 * connections, also at an exact point of their conversation, and loses, holds or delays their data.
 * Its address stays the same while the server behind it goes away and comes back elsewhere. It
 * counts its faults, so that a test can check that a fault has happened. Thread-safe.
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

  /** A moment of the conversation with the server at which the proxy can cut it. */
  public enum CutPoint {
    /** The client has sent the request to commit; the server does not get it. */
    COMMIT_REQUEST,
    /** The server reports the commit; the client does not get the answer. */
    COMMIT_ANSWER,
    /**
     * The server is ready again, without an open transaction; the client does not get that message.
     * This is the answer to a COMMIT as well as to a statement in auto-commit mode.
     */
    READY
  }

  /** The direction of bytes through the proxy. */
  public enum Direction {
    TO_SERVER,
    TO_CLIENT
  }

  private FaultProxy(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    for (Direction direction : Direction.values()) {
      flows.put(direction, ProxyFlow.pass());
    }
    inBackground("fault-proxy-door", this::acceptAll);
  }

  /** Creates a proxy in front of the server on that port of this machine. */
  public static FaultProxy to(int port) throws IOException {
    return new FaultProxy(port);
  }

  /** The port to which clients connect. */
  public int port() {
    return door.getLocalPort();
  }

  /** Rewrites a URL of the server to lead through this proxy. */
  public String through(String jdbcUrl) {
    return jdbcUrl.replaceFirst(":\\d+/", ":" + port() + "/");
  }

  /** Connects new connections to that port from now on. */
  public void pointTo(int port) {
    target = port;
  }

  /** Cuts the next connection that reaches that point. */
  public void cutNext(CutPoint point) {
    cutNext(point, "");
  }

  /**
   * Cuts the next connection that reaches that point in a transaction with that text in a
   * statement.
   */
  public void cutNext(CutPoint point, String text) {
    AtomicBoolean done = new AtomicBoolean();
    cutWhen(point, said -> said.contains(text) && done.compareAndSet(false, true));
  }

  /**
   * Asks a predicate at each such point whether to cut the connection, replacing earlier rules;
   * several threads call it. Its argument is the statements of the transaction as the client sent
   * them, one on each line. For a statement prepared with PREPARE that is the EXECUTE.
   */
  public void cutWhen(CutPoint point, Predicate<String> chooser) {
    cutters.put(point, chooser);
  }

  /** Stops cutting at that point. */
  public void cutNever(CutPoint point) {
    cutters.remove(point);
  }

  /**
   * Asks a predicate at each BEGIN whether it has to fail, as if a cancel had hit it. Several
   * threads call it, with the number of the server process.
   */
  public void breakBegins(IntPredicate chooser) {
    beginBreaker = chooser;
  }

  /** Breaks the next BEGIN of this server process. */
  public void breakNextBeginOf(int process) {
    AtomicBoolean done = new AtomicBoolean();
    breakBegins(each -> each == process && done.compareAndSet(false, true));
  }

  /** The number of BEGINs that failed on request. */
  public long brokenBegins() {
    return brokenBegins.get();
  }

  /** Cuts every connection now, and returns how many were open. */
  public int cutAll() {
    int cut = 0;
    for (ProxiedConnection connection : connections) {
      cut += connection.cutIfOpen() ? 1 : 0;
    }
    return cut;
  }

  /** Sets the flow of one direction, on open connections and on new ones. */
  public void setFlow(Direction direction, ProxyFlow flow) {
    flows.put(direction, flow);
    connections.forEach(connection -> connection.setFlow(direction, flow));
  }

  /** Sets the flow of both directions. */
  public void setFlow(ProxyFlow flow) {
    for (Direction direction : Direction.values()) {
      setFlow(direction, flow);
    }
  }

  /** The open connections. */
  public List<ProxiedConnection> connections() {
    return List.copyOf(connections);
  }

  /** The number of connections that were cut at that point. */
  public long cuts(CutPoint point) {
    AtomicLong count = cuts.get(point);
    return count == null ? 0 : count.get();
  }

  /** The number of connections made since the proxy was created. */
  public long accepted() {
    return accepted.get();
  }

  /** The number of lost messages. */
  public long swallowed() {
    return swallowed.get();
  }

  /** The number of messages that were held for a while. */
  public long held() {
    return holds.get();
  }

  /** The number of delays. */
  public long delayed() {
    return delays.get();
  }

  /** Accepts no more connections, and cuts the open ones. */
  @Override
  public void close() throws IOException {
    door.close();
    cutAll();
  }

  /** Whether to cut here; counts the cut. */
  boolean cutsAt(CutPoint point, Conversation conversation) {
    Predicate<String> chooser = cutters.get(point);
    if (chooser == null || !chooser.test(conversation.transaction())) {
      return false;
    }
    cuts.computeIfAbsent(point, unused -> new AtomicLong()).incrementAndGet();
    return true;
  }

  /** Whether this BEGIN has to fail; counts the failure. */
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
      // The proxy was closed: no more connections are accepted.
      cutAll();
    }
  }

  private void connect(Socket client) throws IOException {
    accepted.incrementAndGet();
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      ProxiedConnection connection = new ProxiedConnection(this, client, server);
      // Added to the list first, so that no change of the flow can miss it.
      connections.add(connection);
      flows.forEach(connection::setFlow);
      connection.start();
    } catch (IOException e) {
      // No server listens: the client sees a closed connection, as it would without a proxy.
      client.close();
    }
  }

  static void inBackground(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
