package dev.rota.dashboard.internal.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a page shows, for the templates, which escape every text.
 *
 * @param title its heading
 * @param section the entry of the navigation that is marked
 * @param toolbar what stays while the page renews itself
 * @param blocks what is renewed
 * @param every after how many seconds the page renews itself, unless its viewer chooses; 0 if never
 */
public record View(
    String title, String section, List<Block> toolbar, List<Block> blocks, int every) {

  /** The seconds between two looks at what changes all the time. */
  public static final int OFTEN = 2;

  /** The seconds between two looks at sums of hours, and at what people change. */
  public static final int SELDOM = 10;

  public View(String title, String section, List<Block> toolbar, List<Block> blocks) {
    this(title, section, toolbar, blocks, OFTEN);
  }

  public View(String title, String section, List<Block> blocks) {
    this(title, section, List.of(), blocks);
  }

  /** A page that stays as it is, such as one with a form. */
  public static View still(String title, String section, List<Block> blocks) {
    return new View(title, section, List.of(), blocks, 0);
  }

  /** The same page, which renews itself less often. */
  public View seldom() {
    return new View(title, section, toolbar, blocks, SELDOM);
  }

  /** A part of a page. */
  public sealed interface Block
      permits Figures, Notes, Table, Chart, Picture, Search, Choices, Form, Text, Tree, Bars {}

  /** Numbers side by side. */
  public record Figures(List<Figure> all) implements Block {}

  /** A number with its name. */
  public record Figure(String label, String value, String title) {

    public static Figure of(String label, String value) {
      return new Figure(label, value, "");
    }
  }

  /** Lines that tell of something, or a line that nothing is to be told. */
  public record Notes(String caption, List<Note> all, String none) implements Block {}

  /** A line; an urgent one is marked. */
  public record Note(String text, @Nullable String href, boolean urgent) {}

  /** A text whose lines are kept. */
  public record Text(String caption, String text) implements Block {}

  /** A text with its parts, which unfold. */
  public record Tree(String caption, Node root, String text) implements Block {}

  /** A part of a text: a value, or members that are shown if it is open. */
  public record Node(String name, String value, List<Node> members, boolean open) {}

  /** A chart of the numbers at an address, which a script draws. */
  public record Chart(String label, String address) implements Block {}

  /** A chart of bars beside each other, which needs no script; a table tells the same. */
  public record Bars(String label, List<Bar> all) implements Block {

    /** The width in steps of ten, one for each bar. */
    public int width() {
      return 10 * all.size();
    }
  }

  /** A bar and the marked part of it, both in percent of the highest one. */
  public record Bar(String title, int height, int marked) {}

  /** A picture of boxes and the lines between them, in pixels. */
  public record Picture(String caption, Size size, List<Box> boxes, List<String> lines)
      implements Block {

    /** How large it is. */
    public record Size(int width, int height) {}
  }

  /**
   * A box of a picture.
   *
   * @param at where it begins
   * @param name its first line
   * @param state its second line, which has a colour, too
   * @param href where it leads; null if nowhere
   * @param title shows beside the mouse
   */
  public record Box(Corner at, String name, String state, @Nullable String href, String title) {

    /** The upper left corner. */
    public record Corner(int x, int y) {}
  }

  /** A field to search by, at the address of the page. */
  public record Search(String label, String name, String value, List<Hidden> hidden)
      implements Block {}

  /** A filter that a form keeps. */
  public record Hidden(String name, String value) {}

  /**
   * A form.
   *
   * @param target where it is sent
   * @param caption its heading
   * @param hidden what it carries unseen
   * @param button the text of its button
   */
  public record Form(
      Target target, String caption, List<Field> fields, List<Hidden> hidden, String button)
      implements Block {}

  /** Where a form is sent, and how: by {@code get} or {@code post}. */
  public record Target(String method, String address) {}

  /** A field of a form. */
  public record Field(String name, String label, Input input, String value, boolean required) {}

  /** What a field takes: a type of HTML, {@code textarea} or {@code select}; and its choices. */
  public record Input(String type, List<String> choices) {

    public static Input of(String type) {
      return new Input(type, List.of());
    }
  }

  /** Links of which one is chosen; if none can be, links to actions. */
  public record Choices(String label, List<Choice> all) implements Block {}

  /** A link to choose. */
  public record Choice(String text, String href, boolean chosen) {}

  /**
   * A table.
   *
   * @param none what stands instead of it when it has no rows
   * @param beneath lines beneath it, such as links to other pages of it
   */
  public record Table(
      String caption, List<Column> columns, List<List<Cell>> rows, String none, List<Note> beneath)
      implements Block {

    public Table(String caption, List<Column> columns, List<List<Cell>> rows, String none) {
      this(caption, columns, rows, none, List.of());
    }
  }

  /** A column; one with an address can be sorted by. */
  public record Column(String label, @Nullable String href, boolean number, boolean sorted) {

    public static Column text(String label) {
      return new Column(label, null, false, false);
    }

    public static Column number(String label) {
      return new Column(label, null, true, false);
    }
  }

  /** A cell; its title shows beside the mouse, and further links stand behind its text. */
  public record Cell(String text, @Nullable String href, String title, List<Choice> further) {

    public static Cell of(String text) {
      return new Cell(text, null, "", List.of());
    }

    public static Cell link(String text, String href) {
      return new Cell(text, href, "", List.of());
    }

    public static Cell titled(String text, String title) {
      return new Cell(text, null, title, List.of());
    }

    public static Cell links(List<Choice> links) {
      return new Cell("", null, "", links);
    }
  }
}
