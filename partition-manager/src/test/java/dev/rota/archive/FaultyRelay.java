package dev.rota.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A relay between a client and a server that can answer in its place, cut connections, or answer
 * late and slowly.
 */
public final class FaultyRelay implements AutoCloseable {

  private static final int BUFFER = 1 << 14;

  private final ServerSocket door;
  private final int target;
  private final AtomicInteger answers = new AtomicInteger();
  private volatile byte[] answer = new byte[0];
  private volatile long cutAfter = Long.MAX_VALUE;
  private volatile boolean silent;
  private volatile boolean inDrops;
  private volatile CountDownLatch held = new CountDownLatch(0);
  private volatile CountDownLatch letGo = new CountDownLatch(0);

  public FaultyRelay(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    inBackground(this::acceptAll);
  }

  public int port() {
    return door.getLocalPort();
  }

  /** Answers so many connections itself from now on, and is silent no more. */
  public void answer(int times, String status, String body) {
    answer =
        ("HTTP/1.1 "
                + status
                + "\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.UTF_8);
    answers.set(times);
    // Last, so that nothing comes through in between.
    silent = false;
  }

  /** Cuts each connection that sends so many bytes from now on. */
  public void cutAfter(long bytes) {
    cutAfter = bytes;
  }

  /** Takes every request and answers none. */
  public void fallSilent() {
    silent = true;
  }

  /** Keeps all answers to itself. */
  public void holdAnswers() {
    letGo = new CountDownLatch(1);
    held = new CountDownLatch(1);
  }

  /** Waits until there is one that it keeps. */
  public void awaitHeld() throws InterruptedException {
    if (!held.await(30, TimeUnit.SECONDS)) {
      throw new AssertionError("nobody has answered");
    }
  }

  /** Gives what it has kept, and from then on each byte of an answer by itself. */
  public void answerInDrops() {
    inDrops = true;
    letGo.countDown();
  }

  /** Lets everything through again. */
  public void heal() {
    silent = false;
    inDrops = false;
    letGo.countDown();
    answers.set(0);
    cutAfter = Long.MAX_VALUE;
  }

  @Override
  public void close() throws IOException {
    door.close();
  }

  private void acceptAll() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        inBackground(() -> serve(client));
      } catch (IOException e) {
        // The door was closed.
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      if (answers.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        refuse(client);
        return;
      }
      try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
        Thread back = inBackground(() -> copy(server, client, false));
        copy(client, server, true);
        back.join();
      }
    } catch (IOException e) {
      // Either side is gone; the other one sees that.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** After the head of the request, and as much of its body as came along. */
  private void refuse(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    int newlines = 0;
    for (int each = in.read(); each >= 0 && newlines < 4; each = newlines < 4 ? in.read() : each) {
      newlines = each == '\r' || each == '\n' ? newlines + 1 : 0;
      if (newlines == 4) {
        break;
      }
    }
    client.getOutputStream().write(answer);
    client.getOutputStream().flush();
    client.shutdownOutput();
    in.transferTo(OutputStream.nullOutputStream());
  }

  private void copy(Socket from, Socket to, boolean requests) {
    byte[] buffer = new byte[BUFFER];
    long sent = 0;
    try (from;
        to) {
      InputStream in = from.getInputStream();
      for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
        sent = requests && cutAfter < Long.MAX_VALUE ? sent + got : 0;
        if (sent > cutAfter) {
          return;
        }
        if (!requests) {
          held.countDown();
          letGo.await();
        }
        if (!(requests && silent)) {
          forward(to, buffer, got, !requests && inDrops);
        }
      }
    } catch (IOException e) {
      // One side is gone: the other one learns of it.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void forward(Socket to, byte[] bytes, int count, boolean inDrops)
      throws IOException {
    to.setTcpNoDelay(inDrops);
    int together = inDrops ? 1 : count;
    for (int at = 0; at < count; at += together) {
      to.getOutputStream().write(bytes, at, together);
    }
  }

  private static Thread inBackground(Runnable work) {
    Thread thread = new Thread(work, "faulty-relay");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
