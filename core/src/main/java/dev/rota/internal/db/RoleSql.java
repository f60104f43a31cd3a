package dev.rota.internal.db;

import org.jooq.Name;
import org.jooq.impl.DSL;

/** The statements about roles: who owns what Rota makes, and who may use it. */
public final class RoleSql {

  /**
   * Goes on as the role that owns the ledger, for the rest of the transaction, if the session may:
   * what is made then belongs to whom the rest belongs, whoever makes it. Rejected: functions that
   * run with the rights of their owner, which would have to take DDL as text.
   */
  public static final Sql ACT_AS_KEEPER =
      new Sql(
          "act as keeper",
          """
          select set_config('role', pg_get_userbyid(c.relowner), true)
            from pg_class c
           where c.oid = to_regclass(?) and pg_get_userbyid(c.relowner) <> current_user
             and pg_has_role(session_user, c.relowner,
                             case when current_setting('server_version_num')::integer >= 160000
                                  then 'SET' else 'MEMBER' end)""");

  /** Which of these roles are there, and whether one may do anything anyway. */
  public static final Sql EXISTING =
      new Sql(
          "look for roles",
          "select rolname, rolsuper from pg_roles where rolname = any (?::text[])");

  /** Makes a group. Another database of the server may be making it at the same moment. */
  public static final Sql CREATE =
      new Sql(
          "create role",
          """
          do $$
          begin
            create role {role};
          exception when duplicate_object or unique_violation then null;
          end $$""");

  /** A statement that makes one role a member of another, if it is not: role, member. */
  public static final Sql MEMBERSHIP =
      new Sql(
          "look for membership",
          """
          select format('grant %I to %I', g.role, g.member)
            from (values (?::text, ?::text)) as g (role, member)
           where not pg_has_role(g.member, g.role, 'USAGE')""");

  /** The same for the role that migrates. */
  public static final Sql OWN_MEMBERSHIP =
      new Sql(
          "look for membership",
          """
          select format('grant %I to %I', g.role, session_user)
            from (values (?::text)) as g (role)
           where not pg_has_role(session_user, g.role, 'USAGE')""");

  /** Statements that give roles what they lack in this database: role, privilege. */
  public static final Sql DATABASE_GRANTS =
      new Sql(
          "look up grants",
          """
          select format('grant %s on database %I to %I', g.privilege, current_database(), g.role)
            from unnest(?::text[], ?::text[]) as g (role, privilege)
           where not has_database_privilege(g.role, current_database(), g.privilege)""");

  /** Statements that change the owner of schemas: role, pattern of schemas. */
  public static final Sql SCHEMA_OWNERS =
      new Sql(
          "look up owners",
          """
          select format('alter schema %I owner to %I', n.nspname, o.rolname), n.nspname
            from pg_namespace n join pg_roles o on o.rolname = ?
           where n.nspname ~ ? and n.nspowner <> o.oid""");

  /**
   * Statements that change the owner of tables, views and sequences: role, pattern of schemas,
   * pattern of names. Sequences of identity columns go with their tables.
   */
  public static final Sql OWNERS =
      new Sql(
          "look up owners",
          """
          select format('alter %s %I.%I owner to %I',
                        case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
                        n.nspname, c.relname, o.rolname),
                 n.nspname
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            join pg_roles o on o.rolname = ?
           where n.nspname ~ ? and c.relname ~ ? and c.relkind in ('r', 'v', 'S')
             and c.relowner <> o.oid
             and not exists (select from pg_depend d
                              where d.classid = 'pg_class'::regclass and d.objid = c.oid
                                and d.deptype = 'i' and c.relkind = 'S')""");

  /** Statements that change the owner of the functions: role, pattern of schemas. */
  public static final Sql FUNCTION_OWNERS =
      new Sql(
          "look up owners",
          """
          select format('alter function %I.%I(%s) owner to %I', n.nspname, p.proname,
                        pg_get_function_identity_arguments(p.oid), o.rolname),
                 n.nspname
            from pg_proc p join pg_namespace n on n.oid = p.pronamespace
            join pg_roles o on o.rolname = ?
           where n.nspname ~ ? and p.proname = 'enqueue' and p.proowner <> o.oid""");

  /** Statements that grant rights on schemas: role, privilege, pattern of schemas. */
  public static final Sql SCHEMA_GRANTS =
      new Sql(
          "look up grants",
          """
          select format('grant %s on schema %I to %I', g.privilege, n.nspname, g.role), n.nspname
            from pg_namespace n
           cross join (values (?::text, ?::text)) as g (role, privilege)
           where n.nspname ~ ? and not has_schema_privilege(g.role, n.oid, g.privilege)""");

  /**
   * Statements that grant rights on tables and views: role, privileges, pattern of schemas, pattern
   * of names.
   */
  public static final Sql TABLE_GRANTS =
      new Sql(
          "look up grants",
          """
          select format('grant %s on %I.%I to %I', string_agg(p.privilege, ', '), n.nspname,
                        c.relname, g.role),
                 n.nspname
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
           cross join (values (?::text, ?::text[])) as g (role, privileges)
           cross join unnest(g.privileges) as p (privilege)
           where n.nspname ~ ? and c.relname ~ ? and c.relkind in ('r', 'v')
             and not has_table_privilege(g.role, c.oid, p.privilege)
           group by n.nspname, c.relname, g.role""");

  /** Statements that let a role draw numbers: role, pattern of schemas, pattern of names. */
  public static final Sql SEQUENCE_GRANTS =
      new Sql(
          "look up grants",
          """
          select format('grant usage on sequence %I.%I to %I', n.nspname, c.relname, g.role)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
           cross join (values (?::text)) as g (role)
           where n.nspname ~ ? and c.relname ~ ? and c.relkind = 'S'
             and not has_sequence_privilege(g.role, c.oid, 'USAGE')""");

  /**
   * Statements that let a role enqueue with SQL: role, pattern of schemas, how many arguments the
   * function has at least.
   */
  public static final Sql FUNCTION_GRANTS =
      new Sql(
          "look up grants",
          """
          select format('grant execute on function %I.%I(%s) to %I', n.nspname, p.proname,
                        pg_get_function_identity_arguments(p.oid), g.role)
            from pg_proc p join pg_namespace n on n.oid = p.pronamespace
           cross join (values (?::text)) as g (role)
           where n.nspname ~ ? and p.proname = 'enqueue' and p.pronargs >= ?
             and not has_function_privilege(g.role, p.oid, 'EXECUTE')""");

  /** Functions that a role makes later are not for everybody. */
  public static final Sql NOTHING_FOR_PUBLIC =
      new Sql(
          "change default privileges",
          "alter default privileges for role {role} revoke execute on functions from public");

  /** Schemas that one role makes later may be entered by another. */
  public static final Sql LATER_SCHEMAS =
      new Sql(
          "change default privileges",
          "alter default privileges for role {role} grant usage on schemas to {other}");

  /** Tables that one role makes later may be used by another. */
  public static final Sql LATER_TABLES =
      new Sql(
          "change default privileges",
          """
          alter default privileges for role {role}
            grant select, insert, update, delete on tables to {other}""");

  /** Tables that one role makes later may be read by another. */
  public static final Sql LATER_READING =
      new Sql(
          "change default privileges",
          "alter default privileges for role {role} grant select on tables to {other}");

  private RoleSql() {}

  /** Lets the rest of a transaction, which makes tables, act as whoever owns the ledger. */
  public static Call<?> actAsKeeper(RotaTables tables) {
    return Call.query(
        ACT_AS_KEEPER.call(),
        ACT_AS_KEEPER.text(),
        row -> true,
        Rendering.sql(tables.ledgerView()));
  }

  /** The name of a role in a statement. */
  public static Name role(String role) {
    return DSL.name(role);
  }
}
