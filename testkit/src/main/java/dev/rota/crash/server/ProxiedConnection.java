package dev.rota.crash.server;

import dev.rota.crash.server.FaultProxy.CutPoint;
import dev.rota.crash.server.FaultProxy.Direction;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One connection through a {@link FaultProxy}. Thread-safe. */
public final class ProxiedConnection {

  private static final int SSL_REQUEST = 80_877_103;
  private static final int GSS_REQUEST = 80_877_104;
  private static final int BUFFER = 64 * 1024;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;
  private final Conversation conversation = new Conversation();
  private final Map<Direction, ProxyFlow> flows = new EnumMap<>(Direction.class);
  private final AtomicInteger surplusAnswers = new AtomicInteger();
  private volatile int process;
  private boolean closed;
  private boolean incomplete;

  ProxiedConnection(FaultProxy proxy, Socket client, Socket server) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  /** Cuts the connection for both sides. Idempotent. */
  public void cut() {
    boolean unused = cutIfOpen();
  }

  /** Cuts the connection, and returns whether it was still open. */
  boolean cutIfOpen() {
    boolean open;
    synchronized (this) {
      open = !closed;
      closed = true;
      notifyAll();
    }
    closeQuietly(client);
    closeQuietly(server);
    proxy.forget(this);
    return open;
  }

  /** Sets the flow of one direction from now on. */
  public void setFlow(Direction direction, ProxyFlow flow) {
    boolean broken;
    synchronized (this) {
      flows.put(direction, flow);
      broken = incomplete && flow.kind() != ProxyFlow.Kind.SWALLOW;
      notifyAll();
    }
    if (broken) {
      cut();
    }
  }

  /** The statements of the open transaction, as the client sent them, one on each line. */
  public String transaction() {
    return conversation.transaction();
  }

  void start() {
    FaultProxy.inBackground("fault-proxy-to-server", () -> pump(this::requests));
    FaultProxy.inBackground("fault-proxy-to-client", () -> pump(this::answers));
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private void pump(Work work) {
    try {
      work.run();
    } catch (IOException e) {
      // One side is gone, or the connection was cut: the other side is closed below.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      cut();
    }
  }

  private void requests() throws IOException, InterruptedException {
    DataInputStream in = input(client);
    DataOutputStream out = output(server);
    Message first = startup(in);
    for (Message message = first; message != null; message = Message.read(in)) {
      boolean breaks = conversation.isBegin(message) && proxy.breaksBegin(process);
      boolean commit = conversation.isCommitRequest(message);
      if (breaks && message.is('Q')) {
        message.skip();
        BrokenBegin.replaceQuery(out);
      } else if (passes(Direction.TO_SERVER, message)) {
        if (breaks) {
          surplusAnswers.addAndGet(BrokenBegin.COMPLETIONS);
          BrokenBegin.precede(out);
        }
        if (commit && proxy.cutsAt(CutPoint.COMMIT_REQUEST, conversation)) {
          out.flush();
          return;
        }
        message.writeTo(out);
      }
      flush(Direction.TO_SERVER, in, out);
    }
    awaitPassing(Direction.TO_SERVER);
  }

  /** Reads the message that begins a session. Offers of encryption before it are declined. */
  private @Nullable Message startup(DataInputStream in) throws IOException {
    Message message = Message.readStartup(in);
    while (message != null && (message.code() == SSL_REQUEST || message.code() == GSS_REQUEST)) {
      client.getOutputStream().write('N');
      message = Message.readStartup(in);
    }
    return message;
  }

  private void answers() throws IOException, InterruptedException {
    DataInputStream in = input(server);
    DataOutputStream out = output(client);
    for (Message message = Message.read(in); message != null; message = Message.read(in)) {
      if (message.is('K')) {
        process = message.code();
      }
      if (isSurplus(message)) {
        message.skip();
      } else if (passes(Direction.TO_CLIENT, message)) {
        if (cutsAt(message)) {
          out.flush();
          return;
        }
        message.writeTo(out);
      }
      flush(Direction.TO_CLIENT, in, out);
    }
    awaitPassing(Direction.TO_CLIENT);
  }

  /**
   * Whether an answer belongs to the statement that fails ahead of a BEGIN, which the client does
   * not know.
   */
  private boolean isSurplus(Message answer) {
    return BrokenBegin.isCompletion(answer)
        && surplusAnswers.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  private boolean cutsAt(Message answer) {
    if (answer.is('C') && answer.text(0).equals("COMMIT")) {
      return proxy.cutsAt(CutPoint.COMMIT_ANSWER, conversation);
    }
    if (answer.is('Z') && answer.text(0).equals("I")) {
      boolean cut = proxy.cutsAt(CutPoint.READY, conversation);
      conversation.endTransaction();
      return cut;
    }
    return false;
  }

  /** Whether to forward a message; waits while the flow is held. */
  private boolean passes(Direction direction, Message message)
      throws IOException, InterruptedException {
    synchronized (this) {
      if (kind(direction) == ProxyFlow.Kind.HOLD) {
        proxy.countHeld();
        awaitOtherThan(direction, ProxyFlow.Kind.HOLD);
      }
      if (kind(direction) != ProxyFlow.Kind.SWALLOW) {
        return true;
      }
      incomplete = true;
    }
    proxy.countSwallowed();
    message.skip();
    return false;
  }

  /**
   * Waits until the end of the connection may be forwarded: it must not overtake earlier messages.
   */
  private synchronized void awaitPassing(Direction direction)
      throws IOException, InterruptedException {
    awaitOtherThan(direction, ProxyFlow.Kind.HOLD);
    awaitOtherThan(direction, ProxyFlow.Kind.SWALLOW);
  }

  private synchronized void awaitOtherThan(Direction direction, ProxyFlow.Kind kind)
      throws IOException, InterruptedException {
    while (!closed && kind(direction) == kind) {
      wait();
    }
    if (closed) {
      throw new IOException("cut");
    }
  }

  /** Flushes the output, if no more messages are on their way. */
  private void flush(Direction direction, DataInputStream in, DataOutputStream out)
      throws IOException, InterruptedException {
    if (in.available() == 0) {
      delay(direction);
      out.flush();
    }
  }

  private synchronized void delay(Direction direction) throws IOException, InterruptedException {
    long nanos = flow(direction).delay().toNanos();
    if (nanos == 0) {
      return;
    }
    proxy.countDelay();
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0 && !closed; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
    }
  }

  private ProxyFlow.Kind kind(Direction direction) {
    return flow(direction).kind();
  }

  private synchronized ProxyFlow flow(Direction direction) {
    return flows.getOrDefault(direction, ProxyFlow.pass());
  }

  private static DataInputStream input(Socket socket) throws IOException {
    return new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
  }

  private static DataOutputStream output(Socket socket) throws IOException {
    return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER));
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
